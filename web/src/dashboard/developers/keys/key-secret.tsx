/** A secret that is shown once. It cannot be retrieved again after the dialog is closed. */
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../ui/button/copy-button.tsx';
import { Note } from '../../../ui/state/note.tsx';
import styles from '../developers.module.css';

export function KeySecret({ secret, name }: { secret: string; name: string }) {
  const { t } = useTranslation();
  return (
    <>
      <div className={styles.secret}>
        <code data-secret="">{secret}</code>
        <CopyButton text={secret} name={name} hasWords />
      </div>
      <Note tone="wait">{t('developers.secretOnce')}</Note>
    </>
  );
}
