// The door to the network: the requests that the gate itself sends. Boxes, and git for the person, have their own ways.

export function sendRequest(url: string, options: RequestInit): Promise<Response> {
  return fetch(url, options);
}
