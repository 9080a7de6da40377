// The two places of the side panel: reviewing for a gate elsewhere, and working with the gate in this browser.

export type Place = "review" | "work";

const places: readonly { readonly place: Place; readonly name: string }[] = [
  { place: "review", name: "Review" },
  { place: "work", name: "Work" },
];

const KEY = "sallyport.place";

export function rememberedPlace(): Place {
  return localStorage.getItem(KEY) === "work" ? "work" : "review";
}

export function rememberPlace(place: Place): void {
  localStorage.setItem(KEY, place);
}

interface PlacesProps {
  readonly current: Place;
  readonly onPlace: (place: Place) => void;
}

export function Places({ current, onPlace }: PlacesProps) {
  return (
    <div class="places" role="group" aria-label="Places">
      {places.map(({ place, name }) => (
        <button
          key={place}
          type="button"
          aria-current={place === current ? "true" : undefined}
          onClick={() => onPlace(place)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
