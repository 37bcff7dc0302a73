/** A form in a dialogue: Enter sends it, what the API says of the whole stands above the buttons. */
import { type FormEvent, type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import styles from './resources.module.css';

type FormDialogProps = {
  title: string;
  about?: ReactNode;
  /** What the button does: "Create the link". */
  action: string;
  onClose: () => void;
  onSend: () => void;
  isBusy: boolean;
  /** What belongs to no field. */
  error: unknown;
  isWide?: boolean;
  isDanger?: boolean;
  isDisabled?: boolean;
  children?: ReactNode;
};

export function FormDialog(props: FormDialogProps) {
  const { title, about, action, onClose, onSend, isBusy, error, isWide, isDanger, isDisabled, children } = props;
  const { t } = useTranslation();
  const id = useId();
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!isBusy && !isDisabled) onSend();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      about={about}
      {...(isWide ? { isWide } : {})}
      actions={
        <>
          <Button onPress={onClose}>{t('everywhere.cancel')}</Button>
          <Button
            type="submit"
            form={id}
            look={isDanger ? 'danger' : 'primary'}
            isBusy={isBusy}
            {...(isDisabled ? { isDisabled } : {})}
          >
            {action}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={send} noValidate className={styles.form}>
        {children}
        <ErrorNote error={error} />
      </form>
    </Dialog>
  );
}
