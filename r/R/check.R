# Arguments are checked here, before the program is called, so that a wrong one costs nothing.

fail <- function(..., class = "discretion_input_error") {
  stop(errorCondition(paste0(...), class = c(class, "discretion_error"), call = NULL))
}

check_number <- function(name, value, above = -Inf) {
  fine <- is.numeric(value) && length(value) == 1 && is.finite(value) && value > above
  if (!fine) fail(name, " is one number", if (is.finite(above)) paste(" above", above), ", not ", shown(value))
}

check_flag <- function(name, value) {
  if (!isTRUE(value) && !isFALSE(value)) fail(name, " is TRUE or FALSE, not ", shown(value))
}

check_name <- function(name, value) {
  fine <- is.character(value) && length(value) == 1 && !is.na(value) && nzchar(value)
  if (!fine) fail(name, " is one text, not ", shown(value))
}

check_class <- function(name, value, class, how) {
  if (!inherits(value, class)) fail(name, " is made with ", how, ", and not ", shown(value))
}

# Refuses what a method does not know. R puts it into `...`, where a misspelt argument would be lost without a word.
no_others <- function(method, ..., also = character()) {
  known <- setdiff(names(formals(sys.function(sys.parent()))), c("x", "object", "..."))
  check_known(method, given_names(...), c(known, also), known)
}

# The names of arguments, which are not evaluated; "" for one that has none.
given_names <- function(...) {
  given <- as.list(substitute(list(...)))[-1]
  if (is.null(names(given))) rep("", length(given)) else names(given)
}

check_known <- function(method, given, known, told = known) {
  unknown <- setdiff(given, known)
  if (length(unknown) == 0) return(invisible())
  has <- if (length(told) > 0) paste("it has", paste(told, collapse = ", ")) else "it has no others"
  if (unknown[1] == "") fail(method, "() was given an argument without a name that it does not have; ", has)
  distance <- utils::adist(unknown[1], told, ignore.case = TRUE)
  near <- told[distance == min(distance, Inf) & distance <= max(1, nchar(unknown[1]) %/% 2)]
  fail(method, "() has no argument '", unknown[1], "'; ", if (length(near) > 0) paste0("did you mean ", near[1], "?") else has)
}

one_of <- function(name, value, choices) {
  if (identical(value, choices)) return(choices[1])
  if (!is.character(value) || length(value) != 1 || !value %in% choices) {
    fail(name, " is one of ", paste0("\"", choices, "\"", collapse = ", "), ", not ", shown(value))
  }
  value
}

# A budget is epsilon, epsilon with delta, or rho.
check_budget <- function(what, epsilon, delta, rho) {
  if (is.null(epsilon) == is.null(rho)) {
    fail(what, ": say epsilon = or rho =", if (!is.null(rho)) ", not both", ", for example epsilon = 1")
  }
  if (!is.null(epsilon)) check_number("epsilon", epsilon, above = 0)
  if (!is.null(rho)) check_number("rho", rho, above = 0)
  if (!is.null(delta)) check_number("delta", delta, above = 0)
  list(epsilon = epsilon, delta = delta, rho = rho)
}

# A value in a message, short enough to read.
shown <- function(value) {
  text <- paste(deparse(value, width.cutoff = 60L, nlines = 2L), collapse = " ")
  if (nchar(text) > 60) paste0("an object of class ", class(value)[1]) else text
}
