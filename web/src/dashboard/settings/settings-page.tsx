/** The settings of the app and its payouts, its appearance, the members, the merchant's apps, and the audit log. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'wouter';
import { SettingsAppDocument } from '../../../../generated/web/documents.ts';
import { Tabs } from '../../ui/overlays/tabs.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Note } from '../../ui/state/note.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PageFrame } from '../shell/page-frame.tsx';
import { AppsPanel } from './apps-panel.tsx';
import { AuditPanel } from './audit/audit-panel.tsx';
import { ContactForm } from './contact-form.tsx';
import { EmbedForm } from './embed-form.tsx';
import { GeneralForm } from './general-form.tsx';
import { LookForm } from './look/look-form.tsx';
import { MailsPanel } from './mails/mails-panel.tsx';
import { NotificationsPanel } from './mails/notifications-panel.tsx';
import { MembersPanel } from './members-panel.tsx';
import { PayoutForm } from './payout-form.tsx';
import { RetryForm } from './retry-form.tsx';
import { ServersForm } from './servers-form.tsx';
import styles from './settings.module.css';

const parts = ['general', 'payouts', 'look', 'mails', 'notifications', 'members', 'apps', 'audit'] as const;

export function SettingsPage() {
  const { t } = useTranslation();
  const { app, mayWrite } = useDashboard();
  const [search, setSearch] = useSearchParams();
  const chosen = parts.find((part) => part === search.get('part')) ?? 'general';
  const { data, error, refetch } = useAsk(SettingsAppDocument, { id: app.id });
  const own = data?.app;
  const ofApp = (content: (one: NonNullable<typeof own>) => ReactNode) =>
    own ? content(own) : error ? <ErrorNote error={error} retry={refetch} /> : <Skeleton lines={6} />;
  const contents = {
    general: ofApp((one) => (
      <>
        <GeneralForm key={one.id} app={one} />
        <RetryForm key={`${one.id} retry`} app={one} />
        <ServersForm key={`${one.id} servers`} app={one} />
      </>
    )),
    payouts: ofApp((one) => <PayoutForm key={one.id} app={one} />),
    look: ofApp((one) => (
      <div className={styles.forms}>
        <LookForm key={one.id} app={one} />
        <ContactForm key={`${one.id} contact`} app={one} />
        <EmbedForm key={`${one.id} embed`} app={one} />
      </div>
    )),
    mails: <MailsPanel />,
    notifications: <NotificationsPanel />,
    members: <MembersPanel />,
    apps: <AppsPanel />,
    audit: <AuditPanel />,
  };
  return (
    <PageFrame title={t('shell.pages.settings')} about={t('settings.of', { name: app.name })}>
      {!mayWrite && <Note>{t('settings.viewer')}</Note>}
      <Tabs
        label={t('shell.pages.settings')}
        chosen={chosen}
        onChoose={(part) => setSearch({ part })}
        tabs={parts.map((key) => ({ key, title: t(`settings.parts.${key}`), content: contents[key] }))}
      />
    </PageFrame>
  );
}
