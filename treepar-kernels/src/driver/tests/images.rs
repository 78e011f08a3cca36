//! What is loaded of a unit, with every kind of compiler: none, older than the driver, newer.

#![expect(unsafe_code, reason = "images are loaded")]

use super::super::cache::Key;
use super::super::compile::{Compiler, options};
use super::super::image::{Architecture, Image, image};
use super::*;

/// The compiler for tests, as if it were of this version. The driver is of 12.4, the device of 9.0.
fn compiler(major: u32, minor: u32) -> Option<Compiler> {
    Some((&nvrtc::NVRTC, Version { major, minor }))
}

const UNIT: Text = Text(Some("the kernels"));

#[test]
fn a_compiler_no_newer_than_the_driver_makes_ptx() {
    let folder = tempfile::tempdir().unwrap();
    for minor in [0, 4] {
        let made = image(&UNIT, &device(), &Cache::at(folder.path()), compiler(12, minor)).unwrap();
        assert_eq!(made, Image { ptx: nvrtc::ptx(), cubin: None });
    }
}

#[test]
fn a_newer_compiler_makes_a_binary_that_loads_where_its_ptx_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let made = image(&UNIT, &device(), &Cache::at(folder.path()), compiler(12, 5)).unwrap();
    assert_eq!(made.cubin.as_deref(), Some(CUBIN));
    let refused = Module::from_ptx(&device(), "sums", &made.ptx).unwrap_err();
    assert!(matches!(refused, Error::DriverTooOld { .. }), "{refused}");
    // SAFETY: as the compiler made it.
    let module = unsafe { Module::from_image(&device(), "sums", &made) }.unwrap();
    assert_eq!(module.function("add").unwrap().parameters(), Some(&[8, 4, 8][..]), "launches are checked");
    // Kept, and not taken for PTX by an older compiler.
    let cached = |minor| image(&Text(None), &device(), &Cache::at(folder.path()), compiler(12, minor));
    assert_eq!(cached(5), Ok(made));
    assert!(matches!(cached(4), Err(Error::Source(_))));
}

#[test]
fn a_compiler_of_a_newer_major_version_is_an_error_that_says_which_to_install() {
    let error = image(&UNIT, &device(), &Cache::at("none"), compiler(13, 0)).unwrap_err();
    assert!(matches!(error, Error::CompilerTooNew { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("NVRTC 13.0 is too new") && text.contains("install NVRTC <= 12.4"), "{text}");
}

#[test]
fn what_was_kept_serves_without_a_compiler() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path());
    let kept = |unit| image(unit, &device(), &cache, None);
    assert!(matches!(kept(&UNIT), Err(Error::NoCompiler { .. })));
    let put = |minor, architecture, ptx: &str| {
        let (compiler, options) = (Version { major: 12, minor }, options());
        let key = Key { unit: UNIT.key(), compiler, architecture, options: &options };
        cache.put(&key, &Image { ptx: ptx.to_owned(), cubin: None });
    };
    put(5, Architecture::Virtual(75), "PTX too new for the driver");
    put(0, Architecture::Virtual(100), "PTX too new for the device");
    assert!(matches!(kept(&Text(None)), Err(Error::NoCompiler { .. })));
    put(1, Architecture::Virtual(80), PTX);
    let found = kept(&Text(None)).unwrap();
    assert_eq!(found.ptx, PTX);
    assert_eq!(image(&Text(None), &device(), &cache, compiler(13, 0)), Ok(found), "one that is too new is none");
}
