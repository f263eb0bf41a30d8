# The study file: everything public about a run, in the program's own format.

study_lines <- function(outcome, account, spend, columns, dropped = character(), model = list(), tune = list(),
                        intervals = NULL) {
  declared <- vapply(columns, column_entry, "")
  entries <- c(declared, stats::setNames(rep("{ drop = true }", length(dropped)), dropped))
  c(
    toml_table("data", c(list(path = "rows.csv", account = account$name), outcome)),
    toml_table("budget", account[c("epsilon", "delta", "rho", "filter")]),
    toml_table("spend", spend),
    "[columns]", paste(toml_text(names(entries)), "=", entries),
    if (length(model) > 0) toml_table("model", model),
    if (length(tune) > 0) toml_table("tune", tune),
    if (!is.null(intervals)) toml_table("intervals", intervals)
  )
}

column_entry <- function(column) {
  if (column$kind == "category") return(paste0("{ values = ", toml_list(column$values), " }"))
  numbers <- Filter(Negate(is.null), unclass(column)[c("min", "max", "missing")])
  entries <- paste(names(numbers), "=", vapply(numbers, text_of, ""))
  if (column$scale == "log") entries <- c(entries, "scale = \"log\"")
  paste0("{ ", paste(entries, collapse = ", "), " }")
}

toml_table <- function(name, values) {
  values <- Filter(Negate(is.null), values)
  c(paste0("[", name, "]"), sprintf("%s = %s", names(values), vapply(values, toml_value, "")), "")
}

toml_value <- function(value) {
  if (length(value) != 1) return(toml_list(value))
  if (is.numeric(value)) text_of(value) else toml_text(text_of(value))
}

toml_list <- function(values) {
  text <- if (is.numeric(values)) text_of(values) else toml_text(text_of(values))
  paste0("[", paste(text, collapse = ", "), "]")
}

toml_text <- function(text) {
  text <- gsub("\\", "\\\\", enc2utf8(text), fixed = TRUE)
  text <- gsub("\"", "\\\"", text, fixed = TRUE)
  for (code in c(1:8, 9, 11, 12, 14:31, 127)) {
    text <- gsub(intToUtf8(code), sprintf("\\u%04X", code), text, fixed = TRUE)
  }
  paste0("\"", text, "\"")
}
