// Shown on another device that is not paired: it takes the code, shows the number to compare, and keeps the token after the person's yes.

import { useEffect, useRef, useState } from "preact/hooks";
import type { PairAsked } from "../../src/web/api-devices.ts";
import { ApiError } from "../client.ts";
import { Field } from "../field.tsx";
import { keepToken } from "../page-connection.ts";
import { Problem } from "../problem.tsx";
import { errorOf } from "../resource.ts";
import { claimToken } from "./claim-token.ts";
import "./pair-this-device.css";

export function PairThisDevice() {
  const [code, setCode] = useState("");
  const [name, setName] = useState(nameOfThis);
  const [asked, setAsked] = useState<PairAsked | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const isGone = useRef(false);
  useEffect(() => {
    document.title = "Sallyport: pair this device";
    return () => void (isGone.current = true);
  }, []);
  const pair = async (): Promise<void> => {
    const outcome = await claimToken({ code, name, kind: "browser" }, setAsked, () => isGone.current);
    if (outcome.state === "paired") return keepToken(outcome.token);
    throw new ApiError(0, {
      error: "refused",
      message: "This device was not let in.",
      hint: `Because ${outcome.why}.`,
    });
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    setError(null);
    pair().catch((thrown: unknown) => {
      setAsked(null);
      setError(errorOf(thrown));
    });
  };
  if (asked !== null)
    return (
      <main class="alone pair">
        <h1>Confirm it on the first device</h1>
        <p>Say yes there if it shows the same number:</p>
        <p class="pair-check mono" role="status">
          {asked.check}
        </p>
      </main>
    );
  return (
    <main class="alone pair">
      <h1>Pair this device</h1>
      <p>
        On the machine where the gate runs, open the page, choose <em>Machine</em>, then <em>Pair a device</em>; or run{" "}
        <code>sallyport devices add</code>. Type its code here.
      </p>
      <form onSubmit={submit}>
        <Field label="Code" value={code} onValue={setCode} maxLength={40} isRequired isCode />
        <Field label="Name of this device" value={name} onValue={setName} maxLength={40} isRequired />
        {error !== null && <Problem error={error} />}
        <button class="button is-main" type="submit">
          Pair
        </button>
      </form>
    </main>
  );
}

/** The person can change it. */
function nameOfThis(): string {
  const kind = ["iPhone", "iPad", "Android"].find((one) => navigator.userAgent.includes(one));
  return kind ?? "Computer";
}
