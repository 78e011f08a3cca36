//! Sizes on the command line: `1e6` is a million.

/// Returns the number that a text names, from 1 to `most`.
///
/// # Errors
/// A message with the text, if it is not such a number.
pub fn size(text: &str, most: f64) -> Result<usize, String> {
    let number: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if (1.0..=most).contains(&number) {
        Ok(number as usize)
    } else {
        Err(format!("`{text}` is not from 1 to {most:e}"))
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_numbers_within_limits() {
        assert_eq!(size("1e6", 1e8), Ok(1_000_000));
        assert_eq!(size("20000", 1e8), Ok(20_000));
        assert_eq!(size("0", 1e8), Err("`0` is not from 1 to 1e8".into()));
        assert_eq!(size("2e8", 1e8), Err("`2e8` is not from 1 to 1e8".into()));
        assert_eq!(size("ten", 1e8), Err("`ten` is not a number".into()));
        assert_eq!(size("nan", 1e8), Err("`nan` is not from 1 to 1e8".into()));
    }
}
