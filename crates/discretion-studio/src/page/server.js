// Requests to the program behind the page, and to nobody else. The token stays in this tab.

const KEY = "discretion-token";

/** Takes the token out of the address, where it would be seen over a shoulder. */
export function takeToken() {
  const found = /^#([0-9a-f]{64})$/.exec(location.hash);
  if (found) {
    sessionStorage.setItem(KEY, found[1]);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(KEY) !== null;
}

/** A refusal in the program's own words. */
export class Refusal extends Error {
  constructor(status, sentence, allow = []) {
    super(sentence);
    this.status = status;
    this.allow = allow; // boxes that would let it pass
  }
}

async function answer(path, options) {
  const headers = { ...options.headers, "X-Discretion-Token": sessionStorage.getItem(KEY) ?? "" };
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch {
    throw new Refusal(0, null);
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(response.status, body.refused ?? `${response.status}`, body.allow);
  return body;
}

/** Asks the program. */
export const ask = (name, body = {}) =>
  answer(`/api/${name}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/** Puts a file into the folder. */
export const upload = (file) => answer(`/api/upload/${encodeURIComponent(file.name)}`, { method: "PUT", body: file });
