//! Statuses of the driver: their classes, and the errors for them.

#![expect(unsafe_code, reason = "the driver gives the names of its statuses as pointers")]

use std::ffi::{CStr, c_char};

use super::raw::{Code, Cuda};
use crate::machine::Error;

/// A version of CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// 12 of 12.4.
    pub major: u32,
    /// 4 of 12.4.
    pub minor: u32,
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A status that is not success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Status(pub(super) Code);

/// The consequence of a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// There is no memory; the next call may succeed.
    OutOfMemory,
    /// The context is unusable: every later call fails too.
    Lost,
    /// The library is a stub instead of a driver.
    NoDriver,
    /// There is no device.
    NoDevice,
    /// The driver is older than the code.
    DriverTooOld,
    /// PTX that does not assemble.
    BadPtx,
    /// This call was refused; others may succeed.
    Refused,
}

/// The classes of codes by CUDA's documentation. All others are [`Class::Refused`].
///
/// A code has class `Lost` if the documentation says that the process must be restarted.
#[rustfmt::skip]
const CLASSES: &[(Code, Class)] = &[
    (2, Class::OutOfMemory),    // OUT_OF_MEMORY
    (4, Class::Lost),           // DEINITIALIZED
    (34, Class::NoDriver),      // STUB_LIBRARY
    (36, Class::DriverTooOld),  // CALL_REQUIRES_NEWER_DRIVER
    (100, Class::NoDevice),     // NO_DEVICE
    (200, Class::BadPtx),       // INVALID_IMAGE
    (209, Class::BadPtx),       // NO_BINARY_FOR_GPU
    (214, Class::Lost),         // ECC_UNCORRECTABLE
    (218, Class::BadPtx),       // INVALID_PTX
    (220, Class::Lost),         // NVLINK_UNCORRECTABLE
    (222, Class::DriverTooOld), // UNSUPPORTED_PTX_VERSION
    (226, Class::Lost),         // CONTAINED
    (700, Class::Lost),         // ILLEGAL_ADDRESS
    (702, Class::Lost),         // LAUNCH_TIMEOUT
    (709, Class::Lost),         // CONTEXT_IS_DESTROYED
    (710, Class::Lost),         // ASSERT
    (714, Class::Lost),         // HARDWARE_STACK_ERROR
    (715, Class::Lost),         // ILLEGAL_INSTRUCTION
    (716, Class::Lost),         // MISALIGNED_ADDRESS
    (717, Class::Lost),         // INVALID_ADDRESS_SPACE
    (718, Class::Lost),         // INVALID_PC
    (719, Class::Lost),         // LAUNCH_FAILED
    (721, Class::Lost),         // TENSOR_MEMORY_LEAK
    (806, Class::Lost),         // MPS_RPC_FAILURE
    (810, Class::Lost),         // MPS_CLIENT_TERMINATED
];

/// Advice for codes whose names do not explain themselves. Most occur when a program starts.
const ADVICE: &[(Code, &str)] = &[
    // DEVICE_UNAVAILABLE
    (46, "end the process that uses the device exclusively (nvidia-smi shows it and the compute mode)"),
    // JIT_COMPILER_NOT_FOUND
    (221, "install all parts of NVIDIA's driver: libnvidia-ptxjitcompiler is missing"),
    // JIT_COMPILATION_DISABLED
    (223, "unset CUDA_DISABLE_PTX_JIT"),
    // SYSTEM_NOT_READY
    (802, "start NVIDIA's daemons (nvidia-fabricmanager where NVSwitch joins the devices)"),
    // SYSTEM_DRIVER_MISMATCH
    (803, "restart the computer, because the driver was updated while the system was running"),
    // COMPAT_NOT_SUPPORTED_ON_DEVICE
    (804, "remove CUDA's compatibility package (cuda-compat) from the library path and update NVIDIA's driver"),
    // UNKNOWN
    (999, "read the messages of NVIDIA's driver in the system's log (dmesg), restart the computer"),
];

impl Status {
    /// Returns its class.
    pub(super) fn class(self) -> Class {
        CLASSES.iter().find(|(code, _)| *code == self.0).map_or(Class::Refused, |(_, class)| *class)
    }

    /// Returns the driver's text: `CUDA_ERROR_ILLEGAL_ADDRESS (700), an illegal memory access was encountered`.
    pub(super) fn reason(self, cuda: &Cuda) -> String {
        let name = text(cuda.cuGetErrorName, self.0).unwrap_or_else(|| "a status without a name".to_owned());
        match text(cuda.cuGetErrorString, self.0) {
            Some(meaning) => format!("{name} ({}), {meaning}", self.0),
            None => format!("{name} ({})", self.0),
        }
    }

    /// Returns advice, if there is any, as the end of a sentence.
    fn advice(self) -> String {
        let known = ADVICE.iter().find(|(code, _)| *code == self.0);
        known.map(|(_, advice)| format!("; {advice}, or use the CPU backend")).unwrap_or_default()
    }

    /// Returns the error of an operation. `doing` is a noun: `a copy to the host`.
    ///
    /// Functions that allocate a known number of bytes return [`Error::OutOfMemory`] instead of [`Error::NoRoom`].
    pub(super) fn error(self, cuda: &Cuda, doing: &str) -> Error {
        let (doing, reason) = (doing.to_owned(), self.reason(cuda));
        match self.class() {
            Class::Lost => Error::Lost { doing, reason },
            Class::OutOfMemory => Error::NoRoom { doing, reason },
            _ => Error::Driver { doing, reason: reason + &self.advice() },
        }
    }
}

fn text(ask: unsafe extern "C" fn(Code, *mut *const c_char) -> Code, code: Code) -> Option<String> {
    let mut found = std::ptr::null();
    // SAFETY: the function accepts any number, and returns null or a string that lives as long as the driver.
    unsafe {
        let known = ask(code, &mut found) == 0 && !found.is_null();
        known.then(|| CStr::from_ptr(found).to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_the_codes_names() {
        use cudarc::driver::sys::CUresult as R;
        let table = [
            (R::CUDA_ERROR_OUT_OF_MEMORY, Class::OutOfMemory),
            (R::CUDA_ERROR_DEINITIALIZED, Class::Lost),
            (R::CUDA_ERROR_STUB_LIBRARY, Class::NoDriver),
            (R::CUDA_ERROR_NO_DEVICE, Class::NoDevice),
            (R::CUDA_ERROR_INVALID_IMAGE, Class::BadPtx),
            (R::CUDA_ERROR_NO_BINARY_FOR_GPU, Class::BadPtx),
            (R::CUDA_ERROR_ECC_UNCORRECTABLE, Class::Lost),
            (R::CUDA_ERROR_INVALID_PTX, Class::BadPtx),
            (R::CUDA_ERROR_NVLINK_UNCORRECTABLE, Class::Lost),
            (R::CUDA_ERROR_UNSUPPORTED_PTX_VERSION, Class::DriverTooOld),
            (R::CUDA_ERROR_ILLEGAL_ADDRESS, Class::Lost),
            (R::CUDA_ERROR_LAUNCH_TIMEOUT, Class::Lost),
            (R::CUDA_ERROR_CONTEXT_IS_DESTROYED, Class::Lost),
            (R::CUDA_ERROR_ASSERT, Class::Lost),
            (R::CUDA_ERROR_HARDWARE_STACK_ERROR, Class::Lost),
            (R::CUDA_ERROR_ILLEGAL_INSTRUCTION, Class::Lost),
            (R::CUDA_ERROR_MISALIGNED_ADDRESS, Class::Lost),
            (R::CUDA_ERROR_INVALID_ADDRESS_SPACE, Class::Lost),
            (R::CUDA_ERROR_INVALID_PC, Class::Lost),
            (R::CUDA_ERROR_LAUNCH_FAILED, Class::Lost),
            (R::CUDA_ERROR_MPS_RPC_FAILURE, Class::Lost),
            (R::CUDA_ERROR_INVALID_VALUE, Class::Refused),
            (R::CUDA_ERROR_INVALID_CONTEXT, Class::Refused),
            (R::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, Class::Refused),
            (R::CUDA_ERROR_NOT_SUPPORTED, Class::Refused),
            (R::CUDA_ERROR_UNKNOWN, Class::Refused),
        ];
        for (code, class) in table {
            assert_eq!(Status(code as Code).class(), class, "{code:?}");
        }
    }

    #[test]
    fn a_code_from_the_future_is_refused_and_not_undefined() {
        assert_eq!(Status(4711).class(), Class::Refused);
        let error = Status(4711).error(&super::super::fake::CUDA, "a copy");
        let reason = "a status without a name (4711)".to_owned();
        assert_eq!(error, Error::Driver { doing: "a copy".to_owned(), reason });
    }

    #[test]
    fn advice_is_for_the_codes_by_name_and_ends_in_the_cpu_backend() {
        use cudarc::driver::sys::CUresult as R;
        let table = [
            (R::CUDA_ERROR_DEVICE_UNAVAILABLE, "exclusively"),
            (R::CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "libnvidia-ptxjitcompiler"),
            (R::CUDA_ERROR_JIT_COMPILATION_DISABLED, "unset CUDA_DISABLE_PTX_JIT"),
            (R::CUDA_ERROR_SYSTEM_NOT_READY, "nvidia-fabricmanager"),
            (R::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "restart the computer"),
            (R::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, "cuda-compat"),
            (R::CUDA_ERROR_UNKNOWN, "dmesg"),
        ];
        assert_eq!(table.len(), ADVICE.len());
        for (code, advice) in table {
            let text = Status(code as Code).error(&super::super::fake::CUDA, "starting the driver").to_string();
            assert!(text.contains(advice) && text.ends_with(", or use the CPU backend"), "{text}");
        }
    }

    #[test]
    fn memory_without_a_size_is_no_room() {
        let error = Status(2).error(&super::super::fake::CUDA, "making a context");
        assert!(matches!(error, Error::NoRoom { .. }) && error.is_out_of_memory(), "{error}");
        assert!(error.to_string().contains("CPU backend"), "{error}");
    }

    #[test]
    fn a_sticky_status_is_a_lost_device() {
        let error = Status(700).error(&super::super::fake::CUDA, "a copy to the host");
        let reason = "CUDA_ERROR_ILLEGAL_ADDRESS (700), an illegal memory access was encountered".to_owned();
        assert_eq!(error, Error::Lost { doing: "a copy to the host".to_owned(), reason });
    }
}
