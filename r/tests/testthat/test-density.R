test_that("a density has a probability for each cell", {
  needs_program()
  payer <- new_account()
  both <- private_density(~ ward + age, patients(), schema, payer, epsilon = 2, bins = 2)
  cells <- as.data.frame(both)
  expect_identical(names(cells), c("ward", "age", "probability"))
  expect_identical(nrow(cells), 8L)
  expect_equal(sum(cells$probability), 1)
  # A third of the patients in each ward, to within the noise; nobody is elsewhere.
  shares <- tapply(cells$probability, cells$ward, sum)
  expect_equal(as.vector(shares[c("surgery", "cardiology", "oncology")]), rep(1 / 3, 3), tolerance = 0.1)
  expect_output(print(both), "= 2: replacing any one row")
  expect_identical(charges(payer), 1L)
})

test_that("synthetic rows cost nothing and look like the table", {
  needs_program()
  payer <- new_account()
  both <- private_density(~ ward + age, patients(), schema, payer, epsilon = 2, bins = 4)
  rows <- simulate(both, 200, seed = 1)
  expect_identical(simulate(both, 200, seed = 1), rows)
  expect_identical(dim(rows), c(200L, 2L))
  expect_true(all(rows$age >= 18 & rows$age <= 100))
  expect_true(all(rows$ward %in% c("surgery", "cardiology", "oncology", "other")))
  expect_identical(charges(payer), 1L)
})

test_that("synthetic rows of a density under a seed are marked", {
  needs_program()
  both <- suppressWarnings(
    private_density(~ ward + age, patients(), schema, new_account(), epsilon = 2, bins = 4, seed = 7),
    classes = "discretion_warning"
  )
  rows <- suppressWarnings(simulate(both, 5, seed = 1), classes = "discretion_warning")
  expect_identical(names(rows), c("ward", "age", "NOT PRIVATE"))
  expect_true(all(as.logical(rows[["NOT PRIVATE"]])))
})

test_that("one column is drawn", {
  needs_program()
  payer <- new_account()
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  ages <- private_density(~ age, patients(), schema, payer, epsilon = 0.5)
  expect_identical(plot(ages), ages)
  wards <- private_density(~ ward, patients(), schema, payer, epsilon = 0.5)
  expect_identical(plot(wards), wards)
  both <- read_release(private_density(~ ward + age, patients(), schema, payer, epsilon = 0.5)$file)
  expect_error(plot(both), "only one column.*density.html")
})

test_that("wrong densities are refused", {
  payer <- new_account()
  expect_error(private_density(readmitted ~ age, patients(), schema, payer, epsilon = 1), "only a right side")
  expect_error(private_density(~ bmi, patients(), schema, payer, epsilon = 1), "'bmi' is in the formula and not")
  expect_error(private_density(~ age, patients()["age"], schema, payer, epsilon = 1), "one more column")
  expect_error(private_density(~ age, patients(), schema, payer, epsilon = 1, bins = "many"), "bins are whole numbers")
})
