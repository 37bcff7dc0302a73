/** One page: its title, and its content once its code is loaded. */
import { type ComponentType, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { settings } from '../settings.ts';
import { Skeleton } from '../ui/state/skeleton.tsx';
import type { DashboardPage } from './pages.ts';
import { FaultBoundary } from './shell/fault-boundary.tsx';

const contents = new Map<string, ComponentType>();
const loads = new Map<string, Promise<ComponentType>>();
/** The path of the previous page. */
let lastPath: string | undefined;

export function PageView({ page }: { page: DashboardPage }) {
  const { t } = useTranslation();
  const [path] = useLocation();
  const title = t(`shell.pages.${page.key}`);
  useEffect(() => {
    document.title = `${title} · ${new URL(settings.publicUrl).host}`;
  }, [title]);
  // Each new page starts at its top, for screen readers as well. The first page keeps the browser's position.
  useEffect(() => {
    const isFirst = lastPath === undefined;
    const isSame = lastPath === path;
    lastPath = path;
    if (isFirst || isSame) return;
    document.getElementById('content')?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [path]);
  return (
    <FaultBoundary key={path}>
      <PageContent page={page} />
    </FaultBoundary>
  );
}

/** Not a lazy component in a Suspense: React shows what a fallback replaced at least 300 ms later, and with it the page's first query. */
function PageContent({ page }: { page: DashboardPage }) {
  const [loaded, setLoaded] = useState<{ Content?: ComponentType; fault?: unknown }>({});
  const Content = contents.get(page.key) ?? loaded.Content;
  const isLoaded = Content !== undefined;
  useEffect(() => {
    if (isLoaded) return;
    let isShown = true;
    loadOnce(page).then(
      (made) => isShown && setLoaded({ Content: made }),
      (fault: unknown) => isShown && setLoaded({ fault }),
    );
    return () => {
      isShown = false;
    };
  }, [page, isLoaded]);
  if (loaded.fault) throw loaded.fault;
  return Content ? <Content /> : <Skeleton lines={8} />;
}

/** Loads a page's code and texts in advance, for example while the member is fetched. An error is reported when the page is shown. */
export function preloadPage(page: DashboardPage): void {
  loadOnce(page).catch(() => undefined);
}

function loadOnce(page: DashboardPage): Promise<ComponentType> {
  const known = loads.get(page.key);
  if (known) return known;
  const load = page.load();
  loads.set(page.key, load);
  load.then(
    (content) => contents.set(page.key, content),
    // The next attempt then requests the code again.
    () => loads.delete(page.key),
  );
  return load;
}
