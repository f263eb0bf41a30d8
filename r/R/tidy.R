# broom's verbs. The package generics has them too: our methods serve its generics, and ours pass on what they do not
# know, so the order in which packages are attached does not matter.

#' @rdname coef.private_glm
#' @export
tidy <- function(x, ...) UseMethod("tidy")

#' @rdname coef.private_glm
#' @export
glance <- function(x, ...) UseMethod("glance")

#' @export
tidy.default <- function(x, ...) elsewhere("tidy", x)(x, ...)

#' @export
glance.default <- function(x, ...) elsewhere("glance", x)(x, ...)

elsewhere <- function(verb, x) {
  if (!requireNamespace("generics", quietly = TRUE)) {
    fail("there is no ", verb, "() for an object of class ", class(x)[1])
  }
  getExportedValue("generics", verb)
}

#' @rdname coef.private_glm
#' @export
#' @rawNamespace S3method(generics::tidy, private_glm)
tidy.private_glm <- function(x, conf.int = TRUE, conf.level = NULL, exponentiate = FALSE, contrasts = TRUE, ...) {
  no_others("tidy", ...)
  check_flag("conf.int", conf.int)
  check_flag("exponentiate", exponentiate)
  if (!is.null(conf.level)) level_of(x, conf.level)
  table <- coefficient_table(x, contrasts)
  table <- table[c(if (!is.null(table$y.level)) "y.level", "term", "estimate", "std.error", "p.value", if (conf.int) c("conf.low", "conf.high"))]
  scaled <- intersect(names(table), c("estimate", "conf.low", "conf.high"))
  if (exponentiate) table[scaled] <- exp(table[scaled])
  table
}

#' @rdname coef.private_glm
#' @export
#' @rawNamespace S3method(generics::glance, private_glm)
glance.private_glm <- function(x, ...) {
  no_others("glance", ...)
  of <- function(value) if (is.null(value)) NA else value
  guarantee <- x$content$privacy$guarantee
  training <- x$content$training
  data.frame(
    nobs = training$rows, epsilon = of(guarantee$epsilon), delta = of(guarantee$delta), rho = of(guarantee$rho),
    lambda = training$lambda, mechanism = of(training$mechanism), expected.error = of(training$expected_error),
    private = isTRUE(x$content$privacy$private)
  )
}
