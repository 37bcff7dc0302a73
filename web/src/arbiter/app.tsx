/**
 * `/arbiter` lists the disputes that await a decision, and `/arbiter/<id>` shows one of them. Both require the arbiter's credential first.
 */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { ArbiterListDocument } from '../../../generated/web/documents.ts';
import { ApiError } from '../api/api-error.ts';
import { ask, type Credential } from '../api/ask.ts';
import { Button } from '../ui/button/button.tsx';
import { TextField } from '../ui/fields/text-field.tsx';
import { PageFooter } from '../ui/page-footer.tsx';
import { ErrorNote } from '../ui/state/error-note.tsx';
import { Note } from '../ui/state/note.tsx';
import styles from './arbiter.module.css';
import { DecisionPage } from './decision-page.tsx';
import { OpenDisputes } from './open-disputes.tsx';

const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
/** Stored for this tab only, like the tokens of payers. It is sent to our API only. */
const KEPT = 'sluice.arbiter.credential';
const refusals = new Set(['AUTHENTICATION_ERROR', 'AUTHORIZATION_ERROR']);

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <Page />
    </QueryClientProvider>
  );
}

function Page() {
  const { t } = useTranslation();
  const [path, go] = useLocation();
  const [secret, setSecret] = useState(() => sessionStorage.getItem(KEPT));
  useEffect(() => {
    document.title = t('disputes.arbiter.page');
  }, [t]);
  const id = path.split('/')[2] ?? '';
  const leave = () => {
    sessionStorage.removeItem(KEPT);
    queries.clear();
    setSecret(null);
  };
  const enter = (given: string) => {
    sessionStorage.setItem(KEPT, given);
    setSecret(given);
  };
  const credential: Credential | undefined = secret === null ? undefined : { 'x-api-key': secret };
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <strong>{t('disputes.arbiter.page')}</strong>
        {credential && (
          <Button look="bare" size="small" onPress={leave}>
            {t('disputes.arbiter.leave')}
          </Button>
        )}
      </header>
      <main className={styles.main}>
        {!credential && <Login onEntered={enter} />}
        {credential && id === '' && <OpenDisputes credential={credential} open={(one) => go(`/arbiter/${one}`)} />}
        {credential && id !== '' && <DecisionPage id={id} credential={credential} back={() => go('/arbiter')} />}
      </main>
      <PageFooter>Sluice</PageFooter>
    </div>
  );
}

function Login({ onEntered }: { onEntered: (secret: string) => void }) {
  const { t } = useTranslation();
  const [secret, setSecret] = useState('');
  const [error, setError] = useState<unknown>();
  const isRefused = error instanceof ApiError && refusals.has(error.code);
  const enter = async () => {
    setError(undefined);
    try {
      await ask(ArbiterListDocument, { page: 1 }, { credential: { 'x-api-key': secret.trim() } });
      onEntered(secret.trim());
    } catch (fault) {
      setError(fault);
    }
  };
  return (
    <form className={styles.login} onSubmit={(event: FormEvent) => event.preventDefault()}>
      <h1>{t('disputes.arbiter.login')}</h1>
      <TextField
        type="password"
        autoComplete="off"
        label={t('disputes.arbiter.credential')}
        hint={t('disputes.arbiter.loginMore')}
        value={secret}
        onChange={(event) => setSecret(event.target.value)}
      />
      <Button look="primary" type="submit" isDisabled={!/^ar_\S+$/.test(secret.trim())} onPress={enter}>
        {t('disputes.arbiter.enter')}
      </Button>
      {isRefused ? <Note tone="bad" isUrgent title={t('disputes.arbiter.wrong')} /> : <ErrorNote error={error} />}
    </form>
  );
}
