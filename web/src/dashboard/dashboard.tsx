/** The dashboard: the login, the layout, and the page for the URL. */
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, matchRoute, Route, Router, useLocation, useRouter } from 'wouter';
import { LeaveGuard } from '../ui/fields/form/leave-guard.tsx';
import { askToLeave } from '../ui/fields/form/unsaved-forms.ts';
import { Toasts } from '../ui/overlays/toasts.tsx';
import { Empty } from '../ui/state/empty.tsx';
import { PageView, preloadPage } from './page-view.tsx';
import { type DashboardPage, pages } from './pages.ts';
import { DashboardGate } from './session/dashboard-gate.tsx';
import { FaultBoundary } from './shell/fault-boundary.tsx';
import { Shell } from './shell/shell.tsx';

export function Dashboard() {
  return (
    <FaultBoundary>
      <Toasts>
        <Router base="/dashboard" aroundNav={(navigate, to, options) => askToLeave(() => navigate(to, options))}>
          <DashboardGate whileLoading={<PreloadPage />}>
            <Rooms />
          </DashboardGate>
          <LeaveGuard />
        </Router>
      </Toasts>
    </FaultBoundary>
  );
}

/** Loads the page's code while the member is fetched. */
function PreloadPage() {
  const page = usePage();
  useEffect(() => {
    if (page) preloadPage(page);
  }, [page]);
  return null;
}

function usePage(): DashboardPage | undefined {
  const [path] = useLocation();
  const { parser } = useRouter();
  return pages.find((one) => matchRoute(parser, one.path, path)[0]);
}

/** The layout stays mounted when the page changes. */
function Rooms() {
  const page = usePage();
  return (
    <Shell under={page?.under ?? page?.key}>
      {page ? (
        <Route key={page.key} path={page.path}>
          <PageView page={page} />
        </Route>
      ) : (
        <Nowhere />
      )}
    </Shell>
  );
}

function Nowhere() {
  const { t } = useTranslation();
  const [path] = useLocation();
  return (
    <Empty isPage title={t('shell.nowhere.title')} actions={<Link href="/">{t('shell.nowhere.home')}</Link>}>
      {t('shell.nowhere.about', { path })}
    </Empty>
  );
}
