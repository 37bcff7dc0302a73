/**
 * The form component of all pages. Faults from the API are shown at the fields with the same names, and the others are listed above the
 * buttons. After the form is sent, the first field with a fault is scrolled to and focused. Unsaved changes are discarded only after a
 * confirmation.
 */
import { type FormEvent, type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../state/error-note.tsx';
import { browserLimit, type LimitWords } from './field-faults.ts';
import { FormFaultsContext } from './form-faults.ts';
import { guardForm, noteChange } from './unsaved-forms.ts';
import { useFaults } from './use-faults.ts';

type FormProps = {
  onSend: () => void;
  isBusy: boolean;
  /** The last error of the API. Null or undefined after a success. */
  error: unknown;
  /** For buttons outside of the form. */
  id?: string;
  className?: string | undefined;
  isDisabled?: boolean | undefined;
  /** Shows the faults that belong to no field. By default, this is an error note above the last child. */
  summary?: ((rest: unknown) => ReactNode) | undefined;
  /** The content between the faults and the end of the form: the buttons. */
  actions?: ReactNode;
  children: ReactNode;
};

export function Form({ onSend, isBusy, error, id, className, isDisabled, summary, actions, children }: FormProps) {
  const place = useRef<HTMLFormElement>(null);
  const [names, setNames] = useState<readonly string[]>([]);
  const [sent, setSent] = useState(0);
  const { t } = useTranslation();
  const [missing, setMissing] = useState<ReadonlyMap<string, LimitWords>>(new Map());
  const { at: reported, rest } = useFaults(error, names);
  const at = (name: string) => {
    const limit = missing.get(name);
    return limit === undefined ? reported(name) : t(`everywhere.limits.${limit.key}`, limit.values);
  };
  const claim = useCallback((name: string) => {
    setNames((before) => [...before, name]);
    return () =>
      setNames((before) => {
        const index = before.indexOf(name);
        return before.filter((_one, position) => position !== index);
      });
  }, []);
  useFaultFocus(place, { sent, isBusy, error });
  const mark = useUnsaved(place, { isBusy, error });
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || isDisabled) return;
    const wrong = requiredFaults(place.current);
    setMissing(wrong);
    setSent((before) => before + 1);
    if (wrong.size === 0) onSend();
  };
  const touch = () => {
    mark();
    if (missing.size > 0) setTimeout(() => setMissing(new Map()));
  };
  return (
    <FormFaultsContext value={{ at, claim }}>
      <form ref={place} id={id} className={className} onSubmit={send} onInput={touch} onChange={touch} noValidate>
        {children}
        {summary ? summary(rest) : <ErrorNote error={rest} />}
        {actions}
      </form>
    </FormFaultsContext>
  );
}

/** Required fields with a name that the browser considers invalid, each with the limit that it exceeds. */
function requiredFaults(form: HTMLFormElement | null): Map<string, LimitWords> {
  const found = new Map<string, LimitWords>();
  for (const field of form?.querySelectorAll<HTMLInputElement>('input[required][name]') ?? []) {
    if (!field.validity.valid) found.set(field.name, browserLimit(field));
  }
  return found;
}

/** Focuses the first field with a fault each time the form is sent, and each time the API refuses it. */
function useFaultFocus(
  place: RefObject<HTMLFormElement | null>,
  { sent, isBusy, error }: { sent: number; isBusy: boolean; error: unknown },
): void {
  useEffect(() => {
    if (sent === 0 || isBusy) return;
    const faulty = firstFaulty(place.current);
    const shown = faulty ?? (error ? place.current?.querySelector<HTMLElement>('[role="alert"]') : undefined);
    shown?.scrollIntoView({ block: 'center' });
    faulty?.focus({ preventScroll: true });
  }, [place, sent, isBusy, error]);
}

function firstFaulty(form: HTMLFormElement | null): HTMLElement | null {
  return form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid="true"]') ?? null;
}

/** Returns the function that the form calls when the viewer changes something. */
function useUnsaved(
  place: RefObject<HTMLFormElement | null>,
  { isBusy, error }: { isBusy: boolean; error: unknown },
): () => void {
  const touched = useRef(false);
  const clean = useRef('');
  const busy = useRef(false);
  // Until the viewer changes something, responses of the API may still fill in the form.
  useEffect(() => {
    if (!touched.current) clean.current = contentOf(place.current);
  });
  useEffect(() => {
    // Forms that place all faults themselves give no error.
    const isSaved = busy.current && !isBusy && !error && firstFaulty(place.current) === null;
    busy.current = isBusy;
    if (!isSaved) return;
    touched.current = false;
    clean.current = contentOf(place.current);
  }, [place, isBusy, error]);
  useEffect(
    () =>
      guardForm({
        isUnsaved: () => touched.current && !busy.current && contentOf(place.current) !== clean.current,
        forget: () => {
          touched.current = false;
        },
      }),
    [place],
  );
  return () => {
    touched.current = true;
    noteChange();
  };
}

function contentOf(form: HTMLFormElement | null): string {
  const values = [...(form?.elements ?? [])].flatMap((field) => {
    if (field instanceof HTMLInputElement) {
      if (field.type === 'file') return [...(field.files ?? [])].map((file) => file.name);
      return field.type === 'checkbox' || field.type === 'radio' ? String(field.checked) : field.value;
    }
    return field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement ? field.value : [];
  });
  return JSON.stringify(values);
}
