//! The six programs computed plainly in binary64.

/// Abramowitz and Stegun, 26.2.17.
fn cumulative(d: f64) -> f64 {
    let k = 1.0 / (1.0 + 0.2316419 * d.abs());
    let series = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
    let tail: f64 = series.iter().enumerate().map(|(i, c)| c * k.powi(i as i32 + 1)).sum();
    let c = (-0.5 * d * d).exp() / (2.0 * std::f64::consts::PI).sqrt() * tail;
    if d > 0.0 { 1.0 - c } else { c }
}

pub fn p0(days: usize) -> f64 {
    let call = |day: f64| {
        let (spot, t) = (58.0 + 4.0 * day / days as f64, day / 365.0);
        let v = 0.3 * t.sqrt();
        let d = ((spot / 65.0).ln() + 0.125 * t) / v;
        spot * cumulative(d) - 65.0 * (-0.08 * t).exp() * cumulative(d - v)
    };
    (1..=days).map(|day| call(day as f64)).sum()
}

pub fn p1(n: i64) -> f64 {
    let element = |seed: i64, i: i64, j: i64| {
        let k = i * n + j;
        (k * 7 + seed) * k % 11 - 5
    };
    let product = |i: i64, j: i64| -> i64 { (0..n).map(|k| element(1, i, k) * element(3, k, j)).sum() };
    // The row of the only repetition is the first.
    ((0..n).map(|j| product(0, j)).sum::<i64>() + product(n - 1, n - 1)) as f64
}

/// Floyd and Warshall's algorithm.
pub fn p2(n: usize) -> f64 {
    let road = |from: i64, to: i64| match () {
        () if from == to => 0,
        () if (from * 3 + to * 7) % 5 == 1 || to - from == 2 || from - to == 3 => (from * 5 + to * 3) % 17 + 1,
        () => 1200,
    };
    let mut paths: Vec<Vec<i64>> = (0..n as i64).map(|i| (0..n as i64).map(|j| road(i, j)).collect()).collect();
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                paths[i][j] = paths[i][j].min(paths[i][k] + paths[k][j]);
            }
        }
    }
    (paths[0].iter().sum::<i64>() + paths[n - 1][0]) as f64
}

/// The inverse of the normal distribution, by bisection of a continued fraction and a series.
fn quantile(p: f64) -> f64 {
    let upper = |x: f64| -> f64 {
        if x < 2.5 {
            let (mut term, mut sum) = (x, x);
            for k in 1..200 {
                term *= x * x / (2 * k + 1) as f64;
                sum += term;
            }
            0.5 - sum * (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
        } else {
            let fraction = (1..200).rev().fold(x, |rest, k| x + k as f64 / rest);
            (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt() / fraction
        }
    };
    let tail = p.min(1.0 - p);
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if upper(middle) > tail { low = middle } else { high = middle }
    }
    if p < 0.5 { -low } else { low }
}

/// One model of R0, read as `main` reads it.
pub fn r0(paths: u64, text: &str) -> f64 {
    let mut numbers = text.split_whitespace().map(|word| word.parse::<f64>().unwrap());
    let mut take = |n: usize| -> Vec<f64> { numbers.by_ref().take(n).collect() };
    let (dates, assets) = (5, 3);
    let directions = take(dates * assets * 30);
    let [correlation, volatility, drift] = [take(9), take(15), take(15)];
    let [start, discount] = [take(3), take(5)];
    let [at, left, right, deviation, left_weight, right_weight] = [(); 6].map(|()| take(5));
    let path = |n: u64| {
        let gray = n ^ n >> 1;
        let sobol = |row: usize| {
            let bits = (0..30).filter(|k| gray >> k & 1 == 1).map(|k| directions[row * 30 + k] as u64);
            bits.fold(0, |a, b| a ^ b) as f64 / (1u64 << 30) as f64
        };
        let mut steps = vec![[0.0; 3]; dates];
        for asset in 0..assets {
            let z: Vec<f64> = (0..dates).map(|date| quantile(sobol(date * assets + asset))).collect();
            // Index 0 is the start.
            let mut w = vec![0.0; dates + 1];
            for k in 0..dates {
                let sides = if k == 0 {
                    0.0
                } else {
                    left_weight[k] * w[left[k] as usize] + right_weight[k] * w[right[k] as usize]
                };
                w[at[k] as usize] = sides + deviation[k] * z[k];
            }
            for date in 0..dates {
                steps[date][asset] = w[date + 1] - w[date];
            }
        }
        let mut price = start.clone();
        let mut payment = None;
        for date in 0..dates {
            for asset in 0..assets {
                let noise: f64 = (0..=asset).map(|l| steps[date][l] * correlation[asset * assets + l]).sum();
                price[asset] *= (drift[date * assets + asset] + volatility[date * assets + asset] * noise).exp();
            }
            let worst = (price[0] / 3758.05).min(price[1] / 11840.0).min(price[2] / 1200.0);
            let amount = match date {
                4 if worst < 1.0 => Some(if worst > 0.75 { 1000.0 } else { 1000.0 * worst }),
                _ if worst >= 1.0 => Some(1150.0 + 150.0 * date as f64),
                _ => None,
            };
            payment = payment.or(amount.map(|amount| amount * discount[date]));
        }
        payment.unwrap()
    };
    (1..=paths).map(path).sum::<f64>() / paths as f64
}

/// Solves a tridiagonal system (sub, main, super) by elimination.
fn tridiagonal(rows: &[[f64; 3]], right: &[f64]) -> Vec<f64> {
    let n = rows.len();
    let (mut main, mut y) = (rows.iter().map(|row| row[1]).collect::<Vec<_>>(), right.to_vec());
    for k in 1..n {
        let t = rows[k][0] / main[k - 1];
        main[k] -= t * rows[k - 1][2];
        y[k] -= t * y[k - 1];
    }
    for k in (0..n).rev() {
        let next = if k + 1 < n { rows[k][2] * y[k + 1] } else { 0.0 };
        y[k] = (y[k] - next) / main[k];
    }
    y
}

/// The second derivative at each point of a grid, with zeros at both ends.
fn second(x: &[f64]) -> Vec<[f64; 3]> {
    let inner = |i: usize| {
        let (low, up) = (x[i] - x[i - 1], x[i + 1] - x[i]);
        [2.0 / low / (low + up), -2.0 / (low * up), 2.0 / up / (low + up)]
    };
    (0..x.len()).map(|i| if i == 0 || i == x.len() - 1 { [0.0; 3] } else { inner(i) }).collect()
}

pub fn r1(strikes: usize, nx: usize, ny: usize, nt: usize, [spot, t, alpha, nu, beta]: [f64; 5]) -> Vec<f64> {
    let dx = 20.0 * alpha * spot * t.sqrt() / nx as f64;
    let dy = 10.0 * nu * t.sqrt() / ny as f64;
    let (at_x, at_y) = ((spot / dx) as usize, ny / 2);
    let xs: Vec<f64> = (0..nx).map(|i| (i as f64 - at_x as f64) * dx + spot).collect();
    let ys: Vec<f64> = (0..ny).map(|i| (i as f64 - at_y as f64) * dy + alpha.ln()).collect();
    let (dxx, dyy) = (second(&xs), second(&ys));
    // The drifts are zero, so only second derivatives count.
    let apply = |row: &[f64], d: &[[f64; 3]], variance: &dyn Fn(usize) -> f64| -> Vec<f64> {
        let part = |j: usize, k: usize| {
            if (j + k).checked_sub(1).is_some_and(|at| at < row.len()) { d[j][k] * row[j + k - 1] } else { 0.0 }
        };
        (0..row.len()).map(|j| 0.5 * variance(j) * (part(j, 0) + part(j, 1) + part(j, 2))).collect()
    };
    let implicit = |row: &[f64], d: &[[f64; 3]], variance: &dyn Fn(usize) -> f64, per: f64| -> Vec<f64> {
        let rows: Vec<[f64; 3]> = (0..row.len())
            .map(|j| [0, 1, 2].map(|k| if k == 1 { per } else { 0.0 } - 0.25 * variance(j) * d[j][k]))
            .collect();
        tridiagonal(&rows, row)
    };
    let value = |strike: f64| {
        let mut u: Vec<Vec<f64>> = vec![xs.iter().map(|x| (x - strike).max(0.0)).collect(); ny];
        for step in (0..nt - 1).rev() {
            let now = t * step as f64 / (nt as f64 - 1.0);
            let per = (nt as f64 - 1.0) / t;
            let variance = |i: usize, j: usize| (2.0 * (beta * xs[j].ln() + ys[i] - 0.5 * nu * nu * now)).exp();
            let by_x: Vec<Vec<f64>> = (0..ny).map(|i| apply(&u[i], &dxx, &|j| variance(i, j))).collect();
            let by_y: Vec<Vec<f64>> =
                (0..nx).map(|j| apply(&(0..ny).map(|i| u[i][j]).collect::<Vec<_>>(), &dyy, &|_| nu * nu)).collect();
            let middle: Vec<Vec<f64>> = (0..ny)
                .map(|i| {
                    let row: Vec<f64> = (0..nx).map(|j| per * u[i][j] + 0.5 * by_x[i][j] + by_y[j][i]).collect();
                    implicit(&row, &dxx, &|j| variance(i, j), per)
                })
                .collect();
            for j in 0..nx {
                let column: Vec<f64> = (0..ny).map(|i| per * middle[i][j] - 0.5 * by_y[j][i]).collect();
                for (i, value) in implicit(&column, &dyy, &|_| nu * nu, per).into_iter().enumerate() {
                    u[i][j] = value;
                }
            }
        }
        u[at_y][at_x]
    };
    (0..strikes).map(|k| value(0.001 * k as f64)).collect()
}

/// Days from 2012-01-01 to the first day of the month that is some months later, counted month by month.
fn days(months: usize) -> f64 {
    let length = |month: usize| {
        let year = 2012 + month / 12;
        let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month % 12]
    };
    (0..months).map(length).sum::<usize>() as f64
}

pub fn r2([a, b, rho, nu, sigma]: [f64; 5], text: &str) -> [f64; 2] {
    let numbers: Vec<f64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let (n, m) = (numbers[0] as usize, numbers[1] as usize);
    let quotes: Vec<&[f64]> = numbers[2..2 + 4 * n].chunks(4).collect();
    let (points, weights) = numbers[2 + 4 * n..].split_at(m);
    let year = |months: usize| days(months) / 365.0;
    let zero = |months: usize| (-0.03 * year(months)).exp();
    let erf_part = |u: f64| {
        let t = 1.0 / (1.0 + 0.3275911 * u);
        [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429]
            .iter()
            .enumerate()
            .map(|(k, c)| c * t.powi(k as i32 + 1))
            .sum::<f64>()
    };
    // exp(e) times the normal distribution.
    let normal = |x: f64, e: f64| {
        let u = x.abs() / 2f64.sqrt();
        let tail = 0.5 * erf_part(u) * (e - u * u).exp();
        if x < 0.0 { tail } else { e.exp() - tail }
    };
    let decay = |z: f64, t: f64| (1.0 - (-z * t).exp()) / z;
    let variance = |t: f64| {
        let own = |s: f64, z: f64| {
            s * s / (z * z) * (t + 2.0 / z * (-z * t).exp() - (-2.0 * z * t).exp() / (2.0 * z) - 1.5 / z)
        };
        own(sigma, a)
            + own(nu, b)
            + 2.0 * rho * nu * sigma / (a * b) * (t - decay(a, t) - decay(b, t) + decay(a + b, t))
    };
    let drift = |a: f64, b: f64, s: f64, n: f64, t: f64| {
        (s * s / (a * a) + s * rho * n / (a * b)) * (1.0 - (-a * t).exp())
            - s * s / (2.0 * a * a) * (1.0 - (-2.0 * a * t).exp())
            - rho * s * n / (b * (a + b)) * (1.0 - (-(a + b) * t).exp())
    };
    let mut results = [0.0; 2];
    for quote in quotes {
        let (start, step) = ((12.0 * quote[0]) as usize, quote[1] as usize);
        let count = (12.0 * quote[2]) as usize / step;
        let t = year(start);
        let ends: Vec<usize> = (1..=count).map(|i| start + step * i).collect();
        let level: f64 = ends.iter().map(|&e| zero(e) * (year(e) - year(e - step))).sum();
        let strike = (zero(start) - zero(start + step * count)) / level;
        let d = 0.5 * quote[3] * t;
        let quoted = level * strike * (normal(d, 0.0) - normal(-d, 0.0));
        let (mu_x, mu_y) = (-drift(a, b, sigma, nu, t), -drift(b, a, nu, sigma, t));
        let (ra, rb) = (decay(2.0 * a, t).sqrt(), decay(2.0 * b, t).sqrt());
        let r = rho * decay(a + b, t) / (ra * rb);
        let (sx, sy, rest) = (sigma * ra, nu * rb, 1.0 - r * r);
        let slope = r * sy / sx;
        struct Payment {
            a: f64,
            b: f64,
            c: f64,
            e: f64,
        }
        let payments: Vec<Payment> = ends
            .iter()
            .enumerate()
            .map(|(i, &end)| {
                let fixed = (year(end) - year(end - step)) * strike + if i + 1 == count { 1.0 } else { 0.0 };
                let since = year(end) - t;
                Payment {
                    a: decay(a, since),
                    b: decay(b, since),
                    c: fixed * zero(end) / zero(start),
                    e: 0.5 * (variance(since) - variance(year(end)) + variance(t)),
                }
            })
            .collect();
        let bound = |x: f64| {
            let excess = |y: f64| payments.iter().map(|p| p.c * (p.e - p.a * x - p.b * y).exp()).sum::<f64>() - 1.0;
            let low = payments.iter().map(|p| (p.c.ln() + p.e - p.a * x) / p.b).fold(f64::NEG_INFINITY, f64::max);
            if count < 2 {
                return low;
            }
            let total: f64 = payments.iter().map(|p| p.c * (p.e - p.a * x).exp()).sum();
            let (last, first) = (total.ln() / payments[count - 1].b, total.ln() / payments[0].b);
            let high = if last <= 0.0 { last } else { first };
            let line = r * (x - mu_x) / sx;
            let k = -3.71901648545568 * rest.sqrt();
            let (least, most) = (sy * (line + k) - rest / b + mu_y, sy * (line - k) + mu_y);
            let (low, high) = (low - 1e-5, high + 1e-5);
            if most <= low {
                return most + 1.0;
            }
            if high <= least {
                return least - 1.0;
            }
            // The excess falls with y.
            let (mut from, mut to) = (low.max(least), high.min(most));
            if excess(from) * excess(to) >= 0.0 {
                return if from >= 0.0 { most + 1.0 } else { least - 1.0 };
            }
            for _ in 0..200 {
                let middle = 0.5 * (from + to);
                if excess(middle) > 0.0 { from = middle } else { to = middle }
            }
            from
        };
        let half = 0.5 * sx;
        let (f, g, h) = (bound(mu_x), bound(mu_x + half), bound(mu_x - half));
        let df = 0.5 * (g - h) / half;
        let cross = sy * rest.sqrt();
        let integral: f64 = points
            .iter()
            .zip(weights)
            .map(|(&q, &w)| {
                let x = 2f64.sqrt() * sx * q + mu_x;
                let h1 = (f + df * (x - mu_x) - mu_y) / cross - r / (sx * rest.sqrt()) * (x - mu_x);
                let less: f64 = payments
                    .iter()
                    .map(|p| {
                        let constant = p.b * (mu_x * slope - mu_y + 0.5 * rest * sy * sy * p.b) + p.e;
                        p.c * normal(-(h1 + p.b * cross), constant - (p.a + p.b * slope) * x)
                    })
                    .sum();
                w * (-q * q).exp() * (normal(-h1, 0.0) - less)
            })
            .sum();
        let price = zero(start) * integral / std::f64::consts::PI.sqrt();
        let gamma = quoted.abs() / 10.0 + 0.01;
        let x = (price - quoted) / gamma;
        results[0] += (1.0 / (std::f64::consts::PI * gamma * (1.0 + x * x))).ln();
        results[1] += price;
    }
    results
}
