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

/** A lazy component in a Suspense would delay the page's first query, because React shows a fallback for at least 300 ms. */
function PageContent({ page }: { page: DashboardPage }) {
  const [Content, setContent] = useState<ComponentType | undefined>(() => contents.get(page.key));
  const [fault, setFault] = useState<unknown>();
  useEffect(() => {
    let isShown = true;
    loadOnce(page).then(
      (content) => isShown && setContent(() => content),
      (error: unknown) => isShown && setFault(error),
    );
    return () => {
      isShown = false;
    };
  }, [page]);
  if (fault) throw fault;
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
