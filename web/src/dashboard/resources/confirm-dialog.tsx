/** Asks for confirmation of an action with external effects: a sentence that describes the effect, and the button that runs it. */
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import { useToasts } from '../../ui/overlays/toasts.tsx';
import { FormDialog } from './form-dialog.tsx';

/** A mutation that a dialog runs, whatever its result. */
export type ConfirmedMutation<Variables> = Pick<
  UseMutationResult<unknown, ApiError, Variables>,
  'mutate' | 'isPending' | 'error'
>;

type ConfirmDialogProps<Variables> = {
  title: string;
  /** The effect of the action. */
  about: ReactNode;
  action: string;
  done: string;
  isDanger?: boolean;
  mutation: ConfirmedMutation<Variables>;
  variables: Variables;
  onClose: () => void;
  onDone?: () => void;
  children?: ReactNode;
};

export function ConfirmDialog<Variables>(props: ConfirmDialogProps<Variables>) {
  const { title, about, action, done, isDanger, mutation, variables, onClose, onDone, children } = props;
  const showToast = useToasts();
  const send = () =>
    mutation.mutate(variables, {
      onSuccess: () => {
        showToast({ title: done });
        onClose();
        onDone?.();
      },
    });
  return (
    <FormDialog
      title={title}
      about={about}
      action={action}
      onClose={onClose}
      onSend={send}
      isBusy={mutation.isPending}
      error={mutation.error}
      {...(isDanger ? { isDanger } : {})}
    >
      {children}
    </FormDialog>
  );
}
