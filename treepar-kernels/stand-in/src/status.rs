//! Statuses: the numbers, names and meanings that CUDA's header gives.

use std::ffi::CStr;

/// Defines the statuses with the names and texts of the driver.
macro_rules! statuses {
    ($($status:ident = $code:literal $name:literal $meaning:literal;)*) => {
        /// The status of a call, other than success.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Status {
            $(#[doc = stringify!($name)] $status = $code,)*
        }

        /// Returns the name and the meaning of a code.
        pub fn text(code: u32) -> Option<(&'static CStr, &'static CStr)> {
            match code {
                0 => Some((c"CUDA_SUCCESS", c"no error")),
                $($code => Some(($name, $meaning)),)*
                _ => None,
            }
        }
    };
}

statuses! {
    InvalidValue = 1 c"CUDA_ERROR_INVALID_VALUE" c"invalid argument";
    OutOfMemory = 2 c"CUDA_ERROR_OUT_OF_MEMORY" c"out of memory";
    NotInitialized = 3 c"CUDA_ERROR_NOT_INITIALIZED" c"initialization error";
    InvalidDevice = 101 c"CUDA_ERROR_INVALID_DEVICE" c"invalid device ordinal";
    InvalidContext = 201 c"CUDA_ERROR_INVALID_CONTEXT" c"invalid device context";
    NoBinary = 209 c"CUDA_ERROR_NO_BINARY_FOR_GPU" c"no kernel image is available for execution on the device";
    InvalidPtx = 218 c"CUDA_ERROR_INVALID_PTX" c"a PTX JIT compilation failed";
    UnsupportedVersion = 222 c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION" c"the provided PTX was compiled with an unsupported toolchain.";
    InvalidHandle = 400 c"CUDA_ERROR_INVALID_HANDLE" c"invalid resource handle";
    NotFound = 500 c"CUDA_ERROR_NOT_FOUND" c"named symbol not found";
    NotReady = 600 c"CUDA_ERROR_NOT_READY" c"device not ready";
    IllegalAddress = 700 c"CUDA_ERROR_ILLEGAL_ADDRESS" c"an illegal memory access was encountered";
    OutOfResources = 701 c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" c"too many resources requested for launch";
    Timeout = 702 c"CUDA_ERROR_LAUNCH_TIMEOUT" c"the launch timed out and was terminated";
    Misaligned = 716 c"CUDA_ERROR_MISALIGNED_ADDRESS" c"misaligned address";
    LaunchFailed = 719 c"CUDA_ERROR_LAUNCH_FAILED" c"unspecified launch failure";
    Unknown = 999 c"CUDA_ERROR_UNKNOWN" c"unknown error";
}
