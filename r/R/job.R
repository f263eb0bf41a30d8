# A job of the program on a data frame: what a fit and a density have in common.

# Settings that every job has, checked.
spending <- function(account, epsilon, delta, rho) {
  check_class("account", account, "discretion_account", "account(\"patients\", epsilon = 3)")
  check_budget("what this run spends", epsilon, delta, rho)
}

consent_flags <- function(rows_changed, second_account, again, reuse) {
  given <- list(rows_changed = rows_changed, second_account = second_account, again = again, reuse = reuse)
  for (name in names(given)) check_flag(name, given[[name]])
  if (again && reuse) fail("again = TRUE pays for another result, reuse = TRUE takes the one that was paid for")
  sprintf("--%s", gsub("_", "-", names(given)[unlist(given)], fixed = TRUE))
}

seed_flag <- function(seed) {
  if (is.null(seed)) return(NULL)
  check_number("seed", seed, above = -1)
  c("--seed", format(seed, scientific = FALSE))
}

# Writes study and rows, runs the command on them, and gives what it printed.
run_job <- function(command, name, study, data, used, flags) {
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  file <- paste0(file_name(name), ".toml")
  write_owner_only(study, file.path(folder, file))
  if (!is.null(data)) write_table(data, used, file.path(folder, "rows.csv"))
  run_program(c(command, if (command == "plan") "--study", file, flags), folder, file)
}

# The ledger notes the study's file name at a charge, so it says what was done.
file_name <- function(text) substr(gsub("[^A-Za-z0-9 ~+._-]", "_", text), 1, 120)

# Where a release goes. It stays: the ledger knows its place, and takes it from there if it is asked for again.
release_folder <- function(out, account, what, seed) {
  if (!is.null(out)) {
    check_name("out", out)
    return(absolute(out))
  }
  if (!is.null(seed)) return(tempfile("seeded-"))
  beside <- if (is.null(account$ledger)) tools::R_user_dir("discretion", "data") else dirname(account$ledger)
  tempfile(paste0(what, "-", Sys.Date(), "-"), file.path(beside, "releases"))
}

# Runs a job, and gives what it released: what it printed is the file.
released <- function(folder, file, seed, run) {
  json <- run("--json", "--out", folder)
  new_release(json, file.path(folder, if (is.null(seed)) file else paste0("seeded-", file)))
}
