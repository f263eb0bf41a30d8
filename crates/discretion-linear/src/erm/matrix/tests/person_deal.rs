//! Rows that are dealt into buckets are grouped as by plain sorting.

use super::*;

/// Rows of persons in any order, some left out, some persons with no others.
fn table(rows: usize) -> (Matrix, Vec<u128>) {
    let layout = example(Norm::Row, 1).layout().clone().weighted();
    let mut matrix = Matrix::new(layout);
    matrix.push(example(Norm::Row, rows).to_batch().into_inner());
    matrix.weigh(&(0..rows).map(|row| 1.0 / (1.0 + row as f32)).collect::<Vec<_>>());
    matrix.leave_out(&(0..rows).map(|row| row % 7 == 3 || row % 11 == 0).collect::<Vec<_>>());
    let person = |row: usize| ((row * row) % (rows / 2 + 1)) as u128;
    let place = |person: u128| person.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    (matrix, (0..rows).map(|row| place(person(row))).collect())
}

/// Every row's place among persons who are sorted, by plain loops.
fn sorted(matrix: &Matrix, identifiers: &[u128]) -> (Vec<usize>, Vec<usize>, Vec<u128>) {
    let mut persons = identifiers.to_vec();
    persons.sort_unstable();
    persons.dedup();
    let (mut order, mut starts) = (Vec::new(), vec![0]);
    for person in &persons {
        let own: Vec<usize> =
            (0..matrix.rows()).filter(|&row| identifiers[row] == *person).collect();
        let counting: Vec<usize> =
            own.iter().copied().filter(|&row| !matrix.is_left_out(row)).collect();
        order.extend(if counting.is_empty() { &own[..1] } else { &counting[..] });
        starts.push(order.len());
    }
    (order, starts, persons)
}

#[test]
fn rows_in_buckets_are_those_of_plain_sorting() {
    // The last ones are for several buckets.
    for rows in [1, 2, 50, 9000] {
        let (matrix, identifiers) = table(rows);
        let (order, starts, persons) = sorted(&matrix, &identifiers);
        let expected = (matrix.gather(&order).row_bytes(0..order.len()).into_inner(), starts);
        for (expects, piece) in [(rows, rows), (rows, 1000), (0, 1000), (50 * rows, 77)] {
            let mut dealt = DealtRows::new(matrix.layout().clone(), expects);
            for start in (0..rows).step_by(piece) {
                let some: Vec<usize> = (start..rows.min(start + piece)).collect();
                dealt.append(&matrix.gather(&some), &identifiers[start..start + some.len()]);
            }
            assert_eq!(dealt.rows(), rows);
            let mut told = Vec::new();
            let found = dealt
                .group_telling(&mut |person| told.push(person))
                .records()
                .unwrap()
                .into_inner();
            assert!(found == expected && told == persons, "{rows} in pieces of {piece}");
        }
        let persons = Rows::group(matrix, &identifiers);
        assert!(persons.records().unwrap().into_inner() == expected, "{rows}");
    }
}

/// Who deals on elsewhere gets the rows of each person in the order that they came in.
#[test]
fn buckets_have_every_row_and_those_of_a_person_in_order() {
    let (matrix, identifiers) = table(9000);
    let mut dealt = DealtRows::new(matrix.layout().clone(), 9000);
    dealt.append(&matrix, &identifiers);
    let (mut all, mut whose) = (Matrix::new(matrix.layout().clone()), Vec::new());
    for (rows, persons) in dealt.into_buckets() {
        all.append(&rows);
        whose.extend(persons);
    }
    let again = Rows::group(all, &whose).records().unwrap().into_inner();
    assert!(again == Rows::group(matrix, &identifiers).records().unwrap().into_inner());
}
