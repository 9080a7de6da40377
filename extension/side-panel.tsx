// The side panel: its two places, each with a gate of its own. Only one of them is there at a time.
// Invariant: what is on the screen, and each answer to it, belongs to the gate of the place that is shown.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Connection, connectThrough, isEntered, onEntered } from "../ui/client.ts";
import { Brand } from "../ui/frame.tsx";
import { lazy } from "../ui/lazy.tsx";
import { PageFrame } from "../ui/page-frame.tsx";
import { parseRoute, useHash } from "../ui/route.ts";
import { View } from "../ui/view.tsx";
import { PairForm } from "./pair-form.tsx";
import { type Place, Places, rememberedPlace, rememberPlace } from "./places.tsx";
import type { WorkHost } from "./work/work-hosts.ts";

const WorkPlace = lazy(async () => (await import("./work/work-place.tsx")).WorkPlace);

export interface SidePanelProps {
  readonly gates: Readonly<Record<Place, Connection>>;
  readonly host: WorkHost;
}

const first: Readonly<Record<Place, string>> = { review: "#/", work: "#/files" };

export function SidePanel({ gates, host }: SidePanelProps) {
  const [place, setPlace] = useState<Place>(() => {
    const remembered = rememberedPlace();
    connectThrough(gates[remembered]);
    if (location.hash === "") history.replaceState(null, "", first[remembered]);
    return remembered;
  });
  const left = useRef(first);
  const go = (to: Place) => {
    if (to === place) return;
    left.current = { ...left.current, [place]: location.hash };
    // SECURITY(T93): before anything of the other place is drawn. Nothing of this one stays: the key below is another.
    connectThrough(gates[to]);
    history.replaceState(null, "", left.current[to]);
    rememberPlace(to);
    setPlace(to);
  };
  const places = <Places current={place} onPlace={go} />;
  return place === "review" ? (
    <Review key="review" places={places} />
  ) : (
    <WorkPlace key="work" host={host} beside={places} />
  );
}

function Review({ places }: { readonly places: ComponentChildren }) {
  const hash = useHash();
  const [isPaired, setIsPaired] = useState(isEntered());
  useEffect(() => onEntered(() => setIsPaired(isEntered())), []);
  if (!isPaired)
    return (
      <>
        <header class="header">
          <div class="header-row">
            <Brand />
            {places}
          </div>
        </header>
        <PairForm onPaired={() => setIsPaired(true)} />
      </>
    );
  const route = parseRoute(hash);
  return (
    <PageFrame route={route} beside={places}>
      <View route={route} />
    </PageFrame>
  );
}
