library(testthat)
library(discretion)

test_check("discretion")
