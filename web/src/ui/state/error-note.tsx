/** An error message in the viewer's language, shown where the error occurred, with a possible next step. */
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/api-error.ts';
import { Button } from '../button/button.tsx';
import { useFaultWords } from '../fields/form/use-faults.ts';
import { Note } from './note.tsx';
import styles from './state.module.css';

type ErrorNoteProps = {
  /** An ApiError or any other error. Without one, nothing is shown. */
  error: unknown;
  /** Replaces the default title "Something went wrong" or "Not found". */
  title?: string;
  /** Shows a button that retries. */
  retry?: (() => unknown) | undefined;
};

/** Codes with many causes. The API's message, which is in English, names the cause. */
const explained = ['CONFLICT', 'EXPIRED', 'INVALID_STATE'];

export function ErrorNote({ error, title, retry }: ErrorNoteProps) {
  const { t } = useTranslation();
  if (!error) return null;
  const fault = error instanceof ApiError ? error.fault : undefined;
  // A retry would not find it either, and the viewer has made no mistake.
  if (fault?.code === 'NOT_FOUND') {
    return (
      <Note title={title ?? t('everywhere.fault.notFoundTitle')} isUrgent>
        <FaultWords error={error} />
      </Note>
    );
  }
  return (
    <Note
      tone="bad"
      isUrgent
      title={title ?? t('everywhere.fault.title')}
      actions={
        retry && (
          <Button size="small" onPress={retry}>
            {t('everywhere.tryAgain')}
          </Button>
        )
      }
    >
      <FaultWords error={error} />
      {fault?.requestId && <p className={styles.noteId}>{t('everywhere.fault.requestId', { id: fault.requestId })}</p>}
    </Note>
  );
}

/** The page's text for the code if there is one, and otherwise the API's message. */
function FaultWords({ error }: { error: unknown }) {
  const { t } = useTranslation();
  const { fieldWords, messageWords } = useFaultWords();
  const fault = error instanceof ApiError ? error.fault : undefined;
  if (!fault) return <p>{t('everywhere.fault.INTERNAL_ERROR')}</p>;
  if (fault.details?.length) {
    return (
      <ul>
        {fault.details.map((detail) => (
          <li key={`${detail.param} ${detail.message}`}>
            {detail.param === '' ? '' : `${fieldWords(detail.param)}: `}
            {messageWords(detail.message)}
          </li>
        ))}
      </ul>
    );
  }
  return (
    <>
      <p>{t(`everywhere.fault.${fault.code}`, { defaultValue: fault.message })}</p>
      {explained.includes(fault.code) && (
        <p className={styles.noteId} lang="en">
          {fault.message}
        </p>
      )}
    </>
  );
}
