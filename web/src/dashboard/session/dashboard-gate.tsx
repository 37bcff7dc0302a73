/** Shows the dashboard to members who are logged in, and the login to everyone else. The URL is kept when a login expires. */
import { QueryClient, QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DashboardViewerDocument, LoginEndDocument } from '../../../../generated/web/documents.ts';
import { ApiError } from '../../api/api-error.ts';
import { ask, type Credential } from '../../api/ask.ts';
import { openLive } from '../../api/live.ts';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import styles from './login-page.module.css';
import { LoginPage } from './login-page.tsx';
import { NoAppPage } from './no-app-page.tsx';
import type { FailedCalls } from './send-once.ts';
import { forgetLogin, keepLogin, readLogin, type StoredLogin } from './stored-login.ts';
import { DashboardContext } from './use-dashboard.ts';

const APP_KEY = 'sluice.app';
const FRESH_MS = 15_000;
/** The maximum delay of a browser's timer. */
const TIMER_LIMIT_MS = 2_147_483_647;

type GateProps = {
  /** Rendered until the member is known. */
  whileLoading: ReactNode;
  children: ReactNode;
};

export function DashboardGate({ whileLoading, children }: GateProps) {
  const [login, setLogin] = useState(() => readLogin(Date.now()));
  const [expired, setExpired] = useState<{ email: string }>();
  // One client per login, so that data of one member is never shown to another.
  const client = useMemo(() => newClient(login), [login]);

  useEffect(() => {
    if (!login) return;
    const end = () => {
      forgetLogin();
      setExpired({ email: login.email });
      setLogin(undefined);
    };
    const refused = (error: unknown) => {
      if (error instanceof ApiError && error.code === 'AUTHENTICATION_ERROR') end();
    };
    const timer = setTimeout(end, Math.min(login.expiresAt - Date.now(), TIMER_LIMIT_MS));
    const queries = client.getQueryCache().subscribe(({ query }) => refused(query?.state.error));
    const mutations = client.getMutationCache().subscribe(({ mutation }) => refused(mutation?.state.error));
    return () => {
      clearTimeout(timer);
      queries();
      mutations();
    };
  }, [login, client]);

  const enter = (made: StoredLogin) => {
    keepLogin(made);
    setExpired(undefined);
    setLogin(made);
  };
  const leave = () => {
    forgetLogin();
    setExpired(undefined);
    setLogin(undefined);
  };
  return (
    <QueryClientProvider client={client}>
      {login ? (
        <Entered key={login.token} token={login.token} leave={leave} whileLoading={whileLoading}>
          {children}
        </Entered>
      ) : (
        <LoginPage expired={expired} onLogin={enter} />
      )}
    </QueryClientProvider>
  );
}

function Entered({ token, leave, whileLoading, children }: GateProps & { token: string; leave: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const credential = useMemo<Credential>(() => ({ authorization: `Bearer ${token}` }), [token]);
  const live = useMemo(() => openLive(credential), [credential]);
  useEffect(() => () => live.close(), [live]);
  const [failedCalls] = useState<FailedCalls>(() => new Map());
  const [chosenId, setChosenId] = useState(() => localStorage.getItem(APP_KEY));
  const { data, error, refetch } = useQuery({
    queryKey: [String(DashboardViewerDocument)],
    queryFn: ({ signal }) => ask(DashboardViewerDocument, {}, { credential, signal }),
  });

  const chooseApp = (appId: string) => {
    localStorage.setItem(APP_KEY, appId);
    setChosenId(appId);
  };
  const logOut = async (everywhere: boolean) => {
    // A login that has already expired is removed as well.
    await ask(LoginEndDocument, { everywhere }, { credential }).catch((fault: unknown) => {
      if (!(fault instanceof ApiError && fault.code === 'AUTHENTICATION_ERROR')) throw fault;
    });
    client.clear();
    leave();
  };
  const member = data?.viewer.member;
  if (!data || !member) {
    return (
      <main className={styles.page}>
        <div className={styles.card}>
          {error ? <ErrorNote error={error} retry={refetch} /> : <Skeleton lines={4} />}
          <span className="visually-hidden">{t('everywhere.loading')}</span>
          {whileLoading}
        </div>
      </main>
    );
  }
  const app = data.apps.find((one) => one.id === chosenId) ?? data.apps[0];
  const common = {
    credential,
    live,
    failedCalls,
    member,
    mayWrite: member.role !== 'VIEWER',
    isOwner: member.role === 'OWNER',
    apps: data.apps,
    chooseApp,
    logOut,
  };
  if (!app) return <NoAppPage {...common} onMade={chooseApp} />;
  return <DashboardContext value={{ ...common, app }}>{children}</DashboardContext>;
}

function newClient(login: StoredLogin | undefined): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => error instanceof ApiError && error.fault.retryable === true && failures < 2,
        refetchOnWindowFocus: login !== undefined,
      },
    },
  });
}
