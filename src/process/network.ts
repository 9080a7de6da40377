// Sends the gate's own network requests. No other module calls `fetch`. Boxes, and git for the person, have their own network access.

export function sendRequest(url: string, options: RequestInit): Promise<Response> {
  return fetch(url, options);
}
