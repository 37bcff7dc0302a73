/** What the fields of a form know about the form that contains them. */
import { createContext, useContext, useEffect } from 'react';

export type FormFaults = {
  /** The error that the API reported about the field, in the viewer's language. */
  at: (name: string) => string | undefined;
  /** A field shows its own faults while it is mounted, and the form shows the others. Returns a function that ends this. */
  claim: (name: string) => () => void;
};

export const FormFaultsContext = createContext<FormFaults | undefined>(undefined);

/** The fault of the field with this API name. Undefined if there is none, or outside of a form. */
export function useFieldFault(name: string | undefined): string | undefined {
  const form = useContext(FormFaultsContext);
  const claim = form?.claim;
  useEffect(() => (name === undefined ? undefined : claim?.(name)), [claim, name]);
  return name === undefined ? undefined : form?.at(name);
}
