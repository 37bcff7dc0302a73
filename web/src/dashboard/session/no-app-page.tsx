/** Shown to a merchant without an app, who must create one first. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AppCreateDocument, type AppCreateMutation } from '../../../../generated/web/documents.ts';
import { ask } from '../../api/ask.ts';
import { Button } from '../../ui/button/button.tsx';
import { Form } from '../../ui/fields/form/form.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
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
  return (
    <main className={styles.page}>
      <Form className={styles.card} onSend={() => make.mutate()} isBusy={make.isPending} error={make.error}>
        <p className={styles.name}>{member.merchant.name}</p>
        <h1>{t('shell.noApp.title')}</h1>
        {member.role !== 'OWNER' ? (
          <Note>{t('shell.noApp.notOwner')}</Note>
        ) : (
          <>
            <p className={styles.about}>{t('shell.noApp.about')}</p>
            <TextField
              label={t('shell.app.name')}
              name="name"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
            <Button look="primary" size="large" type="submit" isWide isBusy={make.isPending} isDisabled={!name.trim()}>
              {t('shell.noApp.make')}
            </Button>
          </>
        )}
        <Button look="bare" size="small" onPress={() => logOut(false)}>
          {t('shell.account.logOut')}
        </Button>
      </Form>
    </main>
  );
}
