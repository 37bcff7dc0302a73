import { useTranslation } from 'react-i18next';
import type { SettingsMailsQuery } from '../../../../../generated/web/documents.ts';
import { Time } from '../../../ui/state/time.tsx';
import { Panel } from '../../shell/panel.tsx';
import styles from '../settings.module.css';

/** The newest emails that could not be sent; nothing if there are none. */
export function FailedMails({ mails }: { mails: SettingsMailsQuery['mails'] }) {
  const { t } = useTranslation();
  if (mails.length === 0) return null;
  return (
    <Panel title={t('settings.mails.failed')} about={t('settings.mails.failedAbout')}>
      <ul className={styles.failures}>
        {mails.map(({ id, kind, recipient, error, createdAt }) => (
          <li key={id}>
            <strong>{t(`settings.mails.${kind}`, { defaultValue: kind })}</strong> {recipient} <Time at={createdAt} />
            <br />
            {error && t(`settings.mails.errors.${error}`)}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
