/**
 * Which forms have changes that are not saved, and who asks before they are lost. A form is marked while it differs from its state before
 * the viewer touched it; a form that is being sent is not.
 */

const unsaved = new Set<object>();
const listeners = new Set<() => void>();
let pending: (() => void) | undefined;
let guards = 0;
/** The address of the page while a form on it is unsaved. */
let place = '';

export function markUnsaved(form: object, isUnsaved: boolean): void {
  if (isUnsaved) {
    if (unsaved.size === 0) addEventListener('beforeunload', warnBeforeUnload);
    place = location.href;
    unsaved.add(form);
  } else if (unsaved.delete(form) && unsaved.size === 0) {
    removeEventListener('beforeunload', warnBeforeUnload);
  }
}

export function hasUnsaved(): boolean {
  return unsaved.size > 0;
}

export function unsavedPlace(): string {
  return place;
}

/** Does at once what leaves the forms if nothing would be lost; otherwise, asks first. */
export function askToLeave(leave: () => void): void {
  if (hasUnsaved() && guards > 0) setPending(leave);
  else leave();
}

/** For the component that asks. */
export const leaving = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    guards += 1;
    return () => {
      listeners.delete(listener);
      guards -= 1;
    };
  },
  pending: (): (() => void) | undefined => pending,
  stay: (): void => setPending(undefined),
  leave(): void {
    const go = pending;
    for (const form of [...unsaved]) markUnsaved(form, false);
    setPending(undefined);
    go?.();
  },
};

function setPending(next: (() => void) | undefined): void {
  pending = next;
  for (const listener of listeners) listener();
}

function warnBeforeUnload(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
