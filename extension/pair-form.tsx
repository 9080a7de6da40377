// Pairs this browser with a gate: the address and the code, a number to compare, and the token after the person's yes.

import { useEffect, useRef, useState } from "preact/hooks";
import type { PairAsked } from "../src/web/api-devices.ts";
import { ApiError } from "../ui/client.ts";
import { claimToken } from "../ui/devices/claim-token.ts";
import "../ui/devices/pair-this-device.css";
import { Problem } from "../ui/problem.tsx";
import { errorOf } from "../ui/resource.ts";
import { T } from "../ui/text.tsx";
import { readAddress } from "./address.ts";
import { Field } from "../ui/field.tsx";
import { beginAt, keepGate, knownGate } from "./gate.ts";

const ownAddress = "http://127.0.0.1:7117";

function refusal(message: string, hint: string): ApiError {
  return new ApiError(0, { error: "refused", message, hint });
}

export function PairForm({ onPaired }: { readonly onPaired: () => void }) {
  const [wasPaired] = useState(() => knownGate() !== null);
  const [address, setAddress] = useState(() => knownGate()?.address ?? ownAddress);
  const [code, setCode] = useState("");
  const [name, setName] = useState("Side panel");
  const [asked, setAsked] = useState<PairAsked | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const isGone = useRef(false);
  useEffect(() => () => void (isGone.current = true), []);

  const pair = async (): Promise<void> => {
    const read = readAddress(address);
    if (read === null)
      throw refusal("This is not the address of a gate.", `Such as ${ownAddress}; of another machine with https.`);
    // The browser asks the person, and only right after a key or a click.
    if (!(await chrome.permissions.request({ origins: [read.pattern] })))
      throw refusal("The browser may not reach this address.", "Allow it when the browser asks.");
    beginAt(read.address);
    const outcome = await claimToken({ code, name, kind: "extension" }, setAsked, () => isGone.current);
    if (outcome.state !== "paired") throw refusal("This browser was not let in.", `Because ${outcome.why}.`);
    await keepGate({ address: read.address, token: outcome.token });
    onPaired();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    setError(null);
    pair().catch((thrown: unknown) => {
      setAsked(null);
      setError(errorOf(thrown));
    });
  };

  if (asked !== null) return <Compare check={asked.check} address={address} />;
  return (
    <main class="alone pair">
      <h1>Pair this browser</h1>
      {wasPaired && error === null && (
        <p class="notice is-medium" role="status">
          This browser is not paired any more: it was revoked, or the gate keeps its state elsewhere.
        </p>
      )}
      <p>
        Open the page of <code>sallyport serve</code>, choose <em>Machine</em>, then <em>Pair a device</em>. Type its
        code here.
      </p>
      <form onSubmit={submit}>
        <Field label="Address of the page" value={address} onValue={setAddress} maxLength={200} isRequired />
        <Field label="Code" value={code} onValue={setCode} maxLength={40} isRequired isCode />
        <Field label="Name of this browser" value={name} onValue={setName} maxLength={40} isRequired />
        {error !== null && <Problem error={error} />}
        <button class="button is-main" type="submit">
          Pair
        </button>
      </form>
    </main>
  );
}

function Compare({ check, address }: { readonly check: string; readonly address: string }) {
  return (
    <main class="alone pair">
      <h1>Confirm it on the page</h1>
      <p>
        The page at <T text={address} maxLength={200} /> asks about this browser. Say yes there if it shows the same
        number:
      </p>
      <p class="pair-check mono" role="status">
        {check}
      </p>
    </main>
  );
}
