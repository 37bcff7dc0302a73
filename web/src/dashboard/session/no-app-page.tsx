/** A merchant without an app: there is nothing to look at before one is made. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AppCreateDocument, type AppCreateMutation } from '../../../../generated/web/documents.ts';
import { ask } from '../../api/ask.ts';
import { Button } from '../../ui/button/button.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Note } from '../../ui/state/note.tsx';
import styles from './login-page.module.css';
import { sendOnce } from './send-once.ts';
import type { Dashboard } from './use-dashboard.ts';

type NoAppPageProps = Pick<Dashboard, 'member' | 'credential' | 'failedCalls' | 'logOut'> & {
  onMade: (appId: string) => void;
};

export function NoAppPage({ member, credential, failedCalls, logOut, onMade }: NoAppPageProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [name, setName] = useState(member.merchant.name);
  const underWay = useRef(new Map<string, Promise<AppCreateMutation>>());
  const make = useMutation({
    mutationFn: () => {
      const variables = { name: name.trim(), mode: 'TEST' } as const;
      const document = AppCreateDocument;
      return sendOnce({ document, variables, failed: failedCalls, underWay: underWay.current }, (idempotencyKey) =>
        ask(document, variables, { credential, idempotencyKey }),
      );
    },
    onSuccess: async ({ createApp }) => {
      onMade(createApp.id);
      await client.invalidateQueries();
    },
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!make.isPending) make.mutate();
  };
  return (
    <main className={styles.page}>
      <form className={styles.card} onSubmit={send}>
        <p className={styles.name}>{member.merchant.name}</p>
        <h1>{t('shell.noApp.title')}</h1>
        {member.role !== 'OWNER' ? (
          <Note>{t('shell.noApp.notOwner')}</Note>
        ) : (
          <>
            <p className={styles.about}>{t('shell.noApp.about')}</p>
            <TextField label={t('shell.app.name')} value={name} onChange={(event) => setName(event.target.value)} />
            <ErrorNote error={make.error} />
            <Button look="primary" size="large" type="submit" isWide isBusy={make.isPending} isDisabled={!name.trim()}>
              {t('shell.noApp.make')}
            </Button>
          </>
        )}
        <Button look="bare" size="small" onPress={() => logOut(false)}>
          {t('shell.account.logOut')}
        </Button>
      </form>
    </main>
  );
}
