#' Where the program is
#'
#' This package calls the program `discretion`. It is looked for in the option `discretion.program`, in the environment
#' variable `DISCRETION_BINARY` and on the `PATH`, in this order.
#'
#' @return The program's path. It is an error if there is none.
#' @examples
#' \dontrun{
#' options(discretion.program = "~/discretion/target/release/discretion")
#' }
#' try(discretion_program())
#' @export
discretion_program <- function() {
  given <- c(getOption("discretion.program", ""), Sys.getenv("DISCRETION_BINARY"))
  given <- given[nzchar(given)]
  path <- if (length(given) > 0) path.expand(given[1]) else unname(Sys.which("discretion"))
  if (!nzchar(path) || !file.exists(path) || dir.exists(path)) {
    fail("the program `discretion` was not found", if (nzchar(path)) paste(" at", path), "; build it with `make build`",
         " and say where it is: options(discretion.program = \"target/release/discretion\")",
         class = "discretion_no_program")
  }
  normalizePath(path)
}

# Runs the program in a folder, and gives what it printed. `study` is the file there that its messages may speak of.
run_program <- function(args, folder, study = "") {
  path <- discretion_program()
  # Relative paths in it are of the caller's folder.
  force(args)
  before <- setwd(folder)
  on.exit(setwd(before))
  out <- "standard-output"
  err <- "standard-error"
  status <- suppressWarnings(system2(path, shQuote(args), stdout = out, stderr = err))
  said <- if (file.exists(err)) readLines(err, encoding = "UTF-8", warn = FALSE) else character()
  tell(said, status, study)
  read_utf8(out)
}

# Warnings, notes and the error of a run, as R's. Exit codes are in docs/files.md.
tell <- function(said, status, study) {
  said <- vapply(said, in_terms_of_r, "", study = study, USE.NAMES = FALSE)
  is_error <- startsWith(said, "error: ")
  for (line in said[!is_error]) {
    if (startsWith(line, "warning: ")) {
      warning(warningCondition(sub("warning: ", "", line, fixed = TRUE), class = "discretion_warning", call = NULL))
    } else {
      message(sub("^note: ", "", line))
    }
  }
  if (status == 0) return(invisible())
  sentence <- sub("error: ", "", paste(said[is_error], collapse = " "), fixed = TRUE)
  if (!nzchar(sentence)) sentence <- paste("the program ended with code", status)
  if (status %in% c(1, 2)) fail(sentence, class = if (status == 1) "discretion_refused" else "discretion_input_error")
  fail(sentence, "; look at history(account) before you run it again", class = "discretion_failed_after_charge")
}

# The program speaks of its flags and files; whoever calls it from R has arguments and a data frame.
in_terms_of_r <- function(line, study) {
  if (nzchar(study)) {
    line <- sub(paste0(study, ":"), "STUDY:", line, fixed = TRUE)
    line <- sub("STUDY:([0-9]+:)* ", "", line)
  }
  line <- sub("model.json: this model", "this model", line, fixed = TRUE)
  at <- regmatches(line, regexpr("rows\\.csv:[0-9]+: ", line))
  if (length(at) == 1) {
    row <- as.integer(gsub("[^0-9]", "", at)) - 1L
    line <- sub(at, if (row > 0) paste0("row ", row, " of the data: ") else "", line, fixed = TRUE)
  }
  line <- sub("rows.csv: ", "", line, fixed = TRUE)
  line <- sub("Write account = (\"[^\"]*\") into \\[data\\]", "Use account(\\1, ...)", line)
  words <- c(
    "say --reuse" = "say reuse = TRUE", "--again" = "again = TRUE", "--rows-changed" = "rows_changed = TRUE",
    "--second-account" = "second_account = TRUE", "with --out" = "with out =",
    ", or say --force to overwrite it and spend the budget again" = ", or delete it",
    " of its own in [data]" = " of its own", " in [data]" = " in positive = or negative =",
    "[columns]" = "columns()", "--bins" = "bins",
    "[spend]" = "what this run spends", "[budget]" = "account()"
  )
  for (word in names(words)) line <- gsub(word, words[[word]], line, fixed = TRUE)
  line
}
