// SPDX-License-Identifier: MIT OR GPL-2.0
// Requests to pfmparse. The messages of errors are for the page's user.

export async function ask(name, parameters = {}) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters))
    if (value !== "" && value !== null) query.set(key, value);
  let answer;
  try {
    answer = await fetch(`api/${name}?${query}`);
  } catch {
    throw new Error("pfmparse has ended: start it again, and open the URL it prints");
  }
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error);
  return body;
}
