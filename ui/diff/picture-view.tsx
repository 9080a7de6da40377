// Shows a picture before and after: side by side, one over the other with a movable divider, or blended.
// Invariant: a picture is always a blob in an img element, so scripts in it do not run.

import { useEffect, useId, useState } from "preact/hooks";
import { sizeText } from "../../src/action/diff-facts.ts";
import type { FileView } from "../../src/web/api.ts";

export interface PictureViewProps {
  readonly n: number;
  readonly file: FileView;
  readonly picture: (n: number, side: "before" | "after") => Promise<Blob | null>;
  /** Called when that side was drawn. */
  readonly onShown: (side: Side) => void;
}

type Side = "before" | "after";
type Way = "beside" | "swipe" | "through";

const ways: readonly (readonly [Way, string])[] = [
  ["beside", "Side by side"],
  ["swipe", "Swipe"],
  ["through", "Fade"],
];

export function PictureView({ n, file, picture, onShown }: PictureViewProps) {
  const before = usePicture(file.oldMode === null ? null : () => picture(n, "before"));
  const after = usePicture(file.newMode === null ? null : () => picture(n, "after"));
  const [way, setWay] = useState<Way>("beside");
  const [share, setShare] = useState(50);
  const name = useId();
  const isPair = before?.url !== undefined && after?.url !== undefined;
  return (
    <div class="diff-picture">
      <div class={`diff-canvas is-${isPair ? way : "beside"}`} style={{ "--share": share / 100 }}>
        {file.oldMode !== null && <Half side="before" bytes={file.oldBytes} loaded={before} onShown={onShown} />}
        {file.newMode !== null && <Half side="after" bytes={file.newBytes} loaded={after} onShown={onShown} />}
      </div>
      {isPair && (
        <fieldset class="diff-ways">
          <legend class="said">How the pictures are compared</legend>
          {ways.map(([value, label]) => (
            <label key={value}>
              <input type="radio" name={name} checked={way === value} onChange={() => setWay(value)} /> {label}
            </label>
          ))}
          {way !== "beside" && (
            <input
              type="range"
              min="0"
              max="100"
              value={share}
              aria-label="How much of the new picture is shown"
              onInput={(event) => setShare(event.currentTarget.valueAsNumber)}
            />
          )}
        </fieldset>
      )}
    </div>
  );
}

interface Loaded {
  /** Undefined if the picture cannot be shown. */
  readonly url: string | undefined;
}

function Half({
  side,
  bytes,
  loaded,
  onShown,
}: {
  readonly side: Side;
  readonly bytes: number;
  readonly loaded: Loaded | null;
  readonly onShown: (side: Side) => void;
}) {
  const [size, setSize] = useState("");
  const [isBroken, setIsBroken] = useState(false);
  const label = side === "before" ? "Before" : "After";
  return (
    <figure class={`diff-half is-${side}`}>
      <div class="diff-frame">
        {loaded === null ? null : loaded.url === undefined || isBroken ? (
          <p class="quiet">This picture cannot be shown.</p>
        ) : (
          <img
            src={loaded.url}
            alt={`The picture ${side} the change`}
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
              setSize(naturalWidth > 0 ? `${naturalWidth} × ${naturalHeight}, ` : "");
              onShown(side);
            }}
            onError={() => setIsBroken(true)}
          />
        )}
      </div>
      <figcaption>
        {label}: {size}
        {sizeText(bytes)}
      </figcaption>
    </figure>
  );
}

/** Null while the picture is loading. */
function usePicture(fetch: (() => Promise<Blob | null>) | null): Loaded | null {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  useEffect(() => {
    if (fetch === null) return;
    let isGone = false;
    let url: string | undefined;
    const settle = (blob: Blob | null) => {
      if (isGone) return;
      url = blob === null ? undefined : URL.createObjectURL(blob);
      setLoaded({ url });
    };
    fetch().then(settle, () => settle(null));
    return () => {
      isGone = true;
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, []);
  return loaded;
}
