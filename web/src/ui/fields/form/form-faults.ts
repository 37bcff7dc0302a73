/** What a form's fields know of the form that they are in. */
import { createContext, useContext, useEffect } from 'react';

export type FormFaults = {
  /** What the API reported about the field, in the viewer's words. */
  at: (name: string) => string | undefined;
  /** A field shows its own faults while it is there; the form shows the others. Returns what ends it. */
  claim: (name: string) => () => void;
};

export const FormFaultsContext = createContext<FormFaults | undefined>(undefined);

/** The fault of the field with this name, which is the API's name of it; undefined without one, or outside of a form. */
export function useFieldFault(name: string | undefined): string | undefined {
  const form = useContext(FormFaultsContext);
  const claim = form?.claim;
  useEffect(() => (name === undefined ? undefined : claim?.(name)), [claim, name]);
  return name === undefined ? undefined : form?.at(name);
}
