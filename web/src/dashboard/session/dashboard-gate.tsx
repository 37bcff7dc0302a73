/**
 * Shows the dashboard to members who are logged in, and the login to everyone else. When a login expires, the dashboard stays mounted but
 * hidden, so that the same member finds it as it was, with everything that was entered.
 */
import { QueryClient, QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query';
import { Activity, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DashboardViewerDocument, LoginEndDocument } from '../../../../generated/web/documents.ts';
import { ask } from '../../api/ask.ts';
import { guardForm, hasChanges } from '../../ui/fields/form/unsaved-forms.ts';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import styles from './login-page.module.css';
import { LoginPage } from './login-page.tsx';
import { holdQueries, isRefused, type MemberSession, openSession, watchRefusals } from './member-session.ts';
import { NoAppPage } from './no-app-page.tsx';
import { forgetLogin, keepLogin, readLogin, type StoredLogin } from './stored-login.ts';
import { DashboardContext } from './use-dashboard.ts';

const APP_KEY = 'sluice.app';
/** The maximum delay of a browser's timer. */
const TIMER_LIMIT_MS = 2_147_483_647;

type GateProps = {
  /** Rendered until the member is known. */
  whileLoading: ReactNode;
  children: ReactNode;
};

export function DashboardGate({ whileLoading, children }: GateProps) {
  const [login, setLogin] = useState(() => readLogin(Date.now()));
  const [session, setSession] = useState(() => login && openSession(login));
  const [loginClient] = useState(() => new QueryClient());
  const noteLeftBehind = useLeftBehind(session, login === undefined);

  useEffect(() => {
    if (!login || !session) return;
    const end = () => {
      noteLeftBehind();
      forgetLogin();
      setLogin(undefined);
    };
    const timer = setTimeout(end, Math.min(login.expiresAt - Date.now(), TIMER_LIMIT_MS));
    const unwatch = watchRefusals(session.client, end);
    return () => {
      clearTimeout(timer);
      unwatch();
    };
  }, [login, session, noteLeftBehind]);

  const enter = (made: StoredLogin) => {
    keepLogin(made);
    if (session?.memberId === made.memberId) {
      session.renew(made.token);
      void session.client.invalidateQueries();
    } else {
      session?.live.close();
      setSession(openSession(made));
    }
    setLogin(made);
  };
  const leave = () => {
    forgetLogin();
    session?.live.close();
    setSession(undefined);
    setLogin(undefined);
  };
  return (
    <>
      {session && (
        <Activity key={session.memberId} mode={login ? 'visible' : 'hidden'}>
          <QueryClientProvider client={session.client}>
            <Entered session={session} leave={leave} whileLoading={whileLoading}>
              {children}
            </Entered>
          </QueryClientProvider>
        </Activity>
      )}
      {!login && (
        <QueryClientProvider client={loginClient}>
          <LoginPage expired={session && { email: session.email }} onLogin={enter} />
        </QueryClientProvider>
      )}
    </>
  );
}

/**
 * While the pages are hidden, their data is kept, and the browser asks before changes in them are lost. When they are shown again, the focus
 * returns to where it was. Returns the function to call before they are hidden.
 */
function useLeftBehind(session: MemberSession | undefined, isHidden: boolean): () => void {
  const left = useRef<{ focus: Element | null; isChanged: boolean }>({ focus: null, isChanged: false });
  useEffect(() => {
    if (!session || !isHidden) return;
    const release = holdQueries(session.client);
    const unguard = guardForm({
      isChanged: () => left.current.isChanged,
      isBusy: () => false,
      forget: () => {
        left.current.isChanged = false;
      },
    });
    return () => {
      release();
      unguard();
      // Before the effects of a dialog, which otherwise moves the focus to its first field.
      if (left.current.focus instanceof HTMLElement) left.current.focus.focus();
    };
  }, [session, isHidden]);
  return useCallback(() => {
    left.current = { focus: document.activeElement, isChanged: hasChanges() };
  }, []);
}

type EnteredProps = GateProps & { session: MemberSession; leave: () => void };

function Entered({ session, leave, whileLoading, children }: EnteredProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { credential, live, failedCalls } = session;
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
      if (!isRefused(fault)) throw fault;
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
