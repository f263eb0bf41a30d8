#' The account that pays
#'
#' An account is what one set of people may lose in all, whatever is released about them. The ledger, a file, remembers
#' what was charged to it, and a run that would go over the cap is refused. The account is opened by its first charge;
#' `account()` itself only says its name and its cap, and later calls must repeat the same cap.
#'
#' @param name The account's name. One account for one set of people.
#' @param epsilon,delta,rho The cap: epsilon, epsilon with delta, or rho.
#' @param filter How an account with epsilon and delta adds up: `"renyi"`, `"gaussian"`, `"plain-sum"` or `"auto"`.
#' @param ledger The ledger's file. By default `DISCRETION_LEDGER` says it, or else it is `ledger.sqlite` in the user's
#'   data directory. It is one file for the command line, Python and R.
#' @return An account, for [private_glm()] and [private_density()]. Printed, it shows what is spent.
#' @seealso [spent()], [history()]
#' @examples
#' patients <- account("patients", epsilon = 3, ledger = tempfile(fileext = ".sqlite"))
#' patients$epsilon
#' @export
account <- function(name, epsilon = NULL, delta = NULL, rho = NULL, filter = NULL, ledger = NULL) {
  check_name("name", name)
  cap <- check_budget("the cap of an account", epsilon, delta, rho)
  if (!is.null(filter)) filter <- one_of("filter", filter, c("auto", "renyi", "gaussian", "plain-sum"))
  if (!is.null(ledger)) check_name("ledger", ledger)
  if (is.null(ledger) && nzchar(Sys.getenv("DISCRETION_LEDGER"))) ledger <- Sys.getenv("DISCRETION_LEDGER")
  # Absolute, because the program runs in another folder.
  ledger <- if (!is.null(ledger)) absolute(ledger)
  structure(c(list(name = name), cap, list(filter = filter, ledger = ledger)), class = "discretion_account")
}

absolute <- function(path) {
  path <- path.expand(path)
  if (grepl("^(/|[A-Za-z]:|\\\\)", path)) path else file.path(getwd(), path)
}

ledger_flag <- function(account) if (!is.null(account$ledger)) c("--ledger", account$ledger)

# What the ledger knows of the account; nothing before its first charge.
in_ledger <- function(account) {
  check_class("account", account, "discretion_account", "account(\"patients\", epsilon = 3)")
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  ask <- function(...) from_json(run_program(c("ledger", ..., "--json", ledger_flag(account)), folder))
  accounts <- tryCatch(ask("list"), discretion_input_error = function(error) {
    if (!grepl("there is no ledger", conditionMessage(error), fixed = TRUE)) stop(error)
  })
  if (!account$name %in% vapply(accounts, `[[`, "", "account")) return(NULL)
  ask("show", account$name)
}

#' What an account has spent
#'
#' @param account An [account()].
#' @return A named vector: what is `spent`, what is `left` and the `cap`, in the cap's unit (epsilon or rho).
#'   "Spent" is a share of the cap; the guarantee for all that was released is the cap.
#' @export
spent <- function(account) {
  known <- in_ledger(account)
  cap <- known$cap$epsilon
  if (is.null(cap)) cap <- known$cap$rho
  if (is.null(cap)) cap <- c(account$epsilon, account$rho)
  used <- if (is.null(known)) 0 else known$spent$amount
  # The program's sums are exact upper bounds; nobody needs their last digits here.
  signif(c(spent = used, left = max(0, cap - used), cap = cap), 10)
}

#' What happened on an account
#'
#' @param account An [account()].
#' @return A data frame with a line for each entry of the ledger: its `number`, when (`at`), what `kind`, `what` it was
#'   for, and the `file` that was released.
#' @seealso [spent()]. R's own list of commands is [utils::history()].
#' @export
history <- function(account) {
  if (!inherits(account, "discretion_account")) {
    fail("history() takes an account here; R's list of commands is utils::history()")
  }
  entries <- in_ledger(account)$history
  text <- function(of) vapply(entries, function(entry) as.character(c(of(entry), NA)[1]), "")
  data.frame(
    number = vapply(entries, function(entry) as.integer(entry$number), 1L),
    at = as.POSIXct(text(function(entry) entry$at), format = "%Y-%m-%dT%H:%M:%OS", tz = "UTC"),
    kind = text(function(entry) entry$kind),
    what = sub("\\.toml$", "", text(function(entry) entry$what)),
    file = text(function(entry) unlist(lapply(entry$releases, `[[`, "file")))
  )
}

#' @export
print.discretion_account <- function(x, ...) {
  no_others("print", ...)
  unit <- if (is.null(x$rho)) "epsilon" else "rho"
  delta <- if (!is.null(x$delta)) paste0(", delta = ", text_of(x$delta))
  cat("account '", x$name, "', ", unit, " = ", text_of(c(x$epsilon, x$rho)), delta, "\n", sep = "")
  if (!is.null(x$ledger)) cat("ledger:", x$ledger, "\n")
  now <- spent(x)
  cat(sprintf("spent %s, left %s\n", format(now[["spent"]], digits = 4), format(now[["left"]], digits = 4)))
  invisible(x)
}
