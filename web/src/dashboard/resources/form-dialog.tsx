/** A form in a dialog. Enter sends it, and errors that belong to no field are shown above the buttons. */
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { Form } from '../../ui/fields/form/form.tsx';
import { askToLeave } from '../../ui/fields/form/unsaved-forms.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import styles from './resources.module.css';

type FormDialogProps = {
  title: string;
  about?: ReactNode;
  /** The label of the button, for example "Create the link". */
  action: string;
  onClose: () => void;
  onSend: () => void;
  isBusy: boolean;
  /** Errors that belong to no field. */
  error: unknown;
  isWide?: boolean;
  isDanger?: boolean;
  isDisabled?: boolean;
  busyWords?: string;
  children?: ReactNode;
};

export function FormDialog(props: FormDialogProps) {
  const { title, about, action, onClose, onSend, isBusy, error, isWide, isDanger, isDisabled, busyWords, children } =
    props;
  const { t } = useTranslation();
  const id = useId();
  return (
    <Dialog
      isOpen
      onClose={() => askToLeave(onClose)}
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
            busyWords={busyWords}
            {...(isDisabled ? { isDisabled } : {})}
          >
            {action}
          </Button>
        </>
      }
    >
      <Form id={id} onSend={onSend} isBusy={isBusy} isDisabled={isDisabled} error={error} className={styles.form}>
        {children}
      </Form>
    </Dialog>
  );
}
