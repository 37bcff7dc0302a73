/**
 * Tracks the forms with unsaved changes, and confirms before they are lost. Forms are queried when a navigation would leave them, so that a
 * key pressed right after a change finds it.
 */

export type GuardedForm = {
  /** Whether it differs from its state before the viewer touched it. */
  isChanged(): boolean;
  /** Whether it is being sent. */
  isBusy(): boolean;
  /** The viewer has agreed to lose the changes. */
  forget(): void;
};

const forms = new Set<GuardedForm>();
const listeners = new Set<() => void>();
let pending: (() => void) | undefined;
let guards = 0;
/** The address of the page on which a form was changed last. */
let place = '';

/** Registers a form, which is asked before a navigation would leave it, until the returned function is called. */
export function guardForm(form: GuardedForm): () => void {
  if (forms.size === 0) addEventListener('beforeunload', warnBeforeUnload);
  forms.add(form);
  return () => {
    forms.delete(form);
    if (forms.size === 0) removeEventListener('beforeunload', warnBeforeUnload);
  };
}

/** Called at each change of a form, because the address is another one by the time the browser reports a step back. */
export function noteChange(): void {
  place = location.href;
}

/** Whether a navigation would lose changes. A form that is being sent is left without a question. */
export function hasUnsaved(): boolean {
  return [...forms].some((form) => form.isChanged() && !form.isBusy());
}

/** Includes forms that are being sent, because the API may refuse them. */
export function hasChanges(): boolean {
  return [...forms].some((form) => form.isChanged());
}

export function unsavedPlace(): string {
  return place;
}

/** Leaves the forms at once if nothing would be lost, and otherwise after a confirmation. */
export function askToLeave(leave: () => void): void {
  if (hasUnsaved() && guards > 0) setPending(leave);
  else leave();
}

/** For the component that asks for confirmation. */
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
    for (const form of forms) form.forget();
    setPending(undefined);
    go?.();
  },
};

function setPending(next: (() => void) | undefined): void {
  pending = next;
  for (const listener of listeners) listener();
}

function warnBeforeUnload(event: BeforeUnloadEvent): void {
  if (hasUnsaved()) event.preventDefault();
}
