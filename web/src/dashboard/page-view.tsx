/** One page: its title, and its code when it has come. */
import { type ComponentType, lazy, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { settings } from '../settings.ts';
import { Skeleton } from '../ui/state/skeleton.tsx';
import type { DashboardPage } from './pages.ts';
import { FaultBoundary } from './shell/fault-boundary.tsx';

const contents = new Map<string, ComponentType>();
const loads = new Map<string, Promise<ComponentType>>();
/** Where the viewer was before. */
let lastPath: string | undefined;

export function PageView({ page }: { page: DashboardPage }) {
  const { t } = useTranslation();
  const [path] = useLocation();
  const title = t(`shell.pages.${page.key}`);
  useEffect(() => {
    document.title = `${title} · ${new URL(settings.publicUrl).host}`;
  }, [title]);
  // Another page is begun at its top, also for who reads with the ears; the first one is left alone.
  useEffect(() => {
    const isFirst = lastPath === undefined;
    const isSame = lastPath === path;
    lastPath = path;
    if (isFirst || isSame) return;
    document.getElementById('content')?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [path]);
  const Content = contentOf(page);
  return (
    <FaultBoundary key={path}>
      <Suspense fallback={<Skeleton lines={8} />}>
        <Content />
      </Suspense>
    </FaultBoundary>
  );
}

/** Loads a page's code and words while something else is waited for, such as the signed-in member. A failure is reported when it is shown. */
export function preloadPage(page: DashboardPage): void {
  loadOnce(page).catch(() => undefined);
}

function contentOf(page: DashboardPage): ComponentType {
  const known = contents.get(page.key);
  if (known) return known;
  const made = lazy(async () => ({ default: await loadOnce(page) }));
  contents.set(page.key, made);
  return made;
}

function loadOnce(page: DashboardPage): Promise<ComponentType> {
  const known = loads.get(page.key);
  if (known) return known;
  const load = page.load();
  loads.set(page.key, load);
  // So that the next attempt asks the server again.
  load.catch(() => loads.delete(page.key));
  return load;
}
