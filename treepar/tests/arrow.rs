//! Columns that share memory with Arrow arrays.

use arrow_array::{BinaryArray, Float32Array, Float64Array, Int16Array, StringArray, UInt32Array, UInt64Array};
use treepar::{Backend, Cpu, Error, arrow, depth::Depths, text::Strings};

/// A column that is written to leaves the array as it was.
#[test]
fn a_write_copies_the_memory_first() {
    let cpu = Cpu::with_threads(2);
    let array = UInt32Array::from(vec![5, 6, 7]);
    let mut column = arrow::column(&cpu, &array).unwrap();
    assert_eq!(column.as_ptr(), array.values().as_ptr());
    column[1] = 60;
    assert_eq!((&column[..], &array.values()[..]), (&[5, 60, 7][..], &[5, 6, 7][..]));
    let mut column = arrow::column(&cpu, &array).unwrap();
    cpu.scatter(&mut column, &cpu.upload(&[2]).unwrap(), &cpu.upload(&[9]).unwrap()).unwrap();
    assert_eq!((&column[..], array.value(2)), (&[5, 6, 9][..], 7));
}

#[test]
fn arrays_of_all_lengths_come_back() {
    let cpu = Cpu::with_threads(2);
    for n in 0..70u64 {
        let array = UInt64Array::from_iter_values((0..n).map(|i| i * i));
        for skipped in 0..n.min(5) as usize {
            let slice = array.slice(skipped, array.len() - skipped);
            assert_eq!(arrow::array(arrow::column(&cpu, &slice).unwrap()), slice);
        }
        let floats = Float32Array::from_iter_values((0..n).map(|i| i as f32 / 3.0));
        assert_eq!(arrow::array(cpu.upload(floats.values()).unwrap()), floats);
        let doubles = Float64Array::from_iter_values((0..n).map(|i| i as f64 / 3.0));
        assert_eq!(arrow::array(arrow::column(&cpu, &doubles).unwrap()), doubles);
        let shorts = Int16Array::from_iter_values((0..n as i16).map(|i| i - 30));
        assert_eq!(arrow::array(arrow::column(&cpu, &shorts).unwrap()), shorts);
    }
}

/// Memory that came from the pool, and is longer than the column.
#[test]
fn only_the_rows_of_a_column_become_an_array() {
    let cpu = Cpu::with_threads(1);
    drop(cpu.filled(100, 7u32).unwrap());
    let column = cpu.upload(&[1u32, 2, 3]).unwrap();
    assert_eq!(arrow::array(column), UInt32Array::from(vec![1, 2, 3]));
}

#[test]
fn nulls_are_errors() {
    let cpu = Cpu::with_threads(1);
    let numbers = UInt32Array::from(vec![Some(1), None, Some(3), None]);
    assert_eq!(arrow::column(&cpu, &numbers).map(|column| column.len()), Err(Error::Nulls { nulls: 2 }));
    assert_eq!(arrow::column(&cpu, &numbers.slice(2, 1)).unwrap()[..], [3]);
    let texts = StringArray::from(vec![Some("a"), None]);
    assert_eq!(arrow::strings(&cpu, &texts).map(|strings| strings.len()), Err(Error::Nulls { nulls: 1 }));
}

#[test]
fn strings_come_back() {
    let cpu = Cpu::with_threads(2);
    for n in 0..40usize {
        let texts: Vec<String> = (0..n).map(|i| "tree".repeat(i * i % 7)).collect();
        let array = StringArray::from_iter_values(&texts);
        for skipped in 0..n.min(4) {
            let slice = array.slice(skipped, n - skipped);
            let strings = arrow::strings(&cpu, &slice).unwrap();
            let found = StringArray::try_from_binary(arrow::byte_array(&strings).unwrap()).unwrap();
            assert_eq!(found, slice);
        }
    }
    let bytes = BinaryArray::from_iter_values([&b"\xff"[..], b"", b"\0"]);
    assert_eq!(arrow::byte_array(&arrow::strings(&cpu, &bytes).unwrap()).unwrap(), bytes);
    let selected = Strings::upload(&cpu, ["a", "bc"]).unwrap().select(&cpu.upload(&[1, 1]).unwrap()).unwrap();
    assert_eq!(arrow::byte_array(&selected).unwrap(), BinaryArray::from_iter_values([b"bc", b"bc"]));
}

/// A depth that is impossible names its row, as in a column that was uploaded.
#[test]
fn forests_are_checked_as_others_are() {
    let cpu = Cpu::with_threads(1);
    let depth = UInt32Array::from(vec![0, 2]);
    let found = Depths::new(arrow::column(&cpu, &depth).unwrap()).map(|forest| forest.len());
    assert_eq!(found, Err(Error::InvalidDepth { index: 1, found: 2, limit: 1 }));
}
