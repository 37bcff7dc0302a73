/** Chooses between the two pages. A started link continues as its session, at the session's own address. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, startTransition, useCallback, useState, useSyncExternalStore } from 'react';
import { CheckoutPage } from './checkout-page.tsx';
import { followTakenCode, takenCode } from './handover/taken-code.ts';
import type { BegunSession } from './link/begin-form.tsx';
import { LinkPage } from './link/link-page.tsx';
import { LoadingCard } from './loading/loading-card.tsx';
import { type PageAddress, readAddress } from './session/page-address.ts';
import { keepSecret, secretOf } from './session/secret.ts';
import { keepFirstView } from './session/use-checkout.ts';
import { PageFault } from './view/page-fault.tsx';
import { PageFrame } from './view/page-frame.tsx';
import { UnknownPage } from './view/unknown-page.tsx';

const queries = new QueryClient({ defaultOptions: { queries: { refetchOnWindowFocus: true, staleTime: 5_000 } } });

export function App() {
  const [address, setAddress] = useState<PageAddress | undefined>(() => readAddress(location.pathname));
  const begin = (session: BegunSession) => {
    keepSecret(session.id, session.clientSecret);
    if (session.view) keepFirstView(queries, session.id, session.view);
    history.replaceState(null, '', `/checkout/${session.id}#${session.clientSecret}`);
    // The link's page stays visible and responsive until the session's page is rendered.
    startTransition(() => setAddress({ page: 'checkout', id: session.id }));
  };
  return (
    <QueryClientProvider client={queries}>
      <PageFault>
        {address?.page === 'link' && <LinkPage slug={address.slug} onBegun={begin} />}
        {address?.page === 'checkout' && <SessionPage id={address.id} />}
        {!address && <UnknownPage what="session" />}
      </PageFault>
    </QueryClientProvider>
  );
}

const Handover = lazy(async () => ({ default: (await import('./handover/handover.tsx')).Handover }));

function SessionPage({ id }: { id: string }) {
  const [session, setSession] = useState(() => sessionOf(id, secretOf(id, location.hash)));
  const code = useSyncExternalStore(followTakenCode, takenCode);
  const taken = useCallback(
    (secret: string) => {
      keepSecret(id, secret);
      setSession(sessionOf(id, secret));
    },
    [id],
  );
  if (session) return <CheckoutPage session={session} />;
  if (code === undefined) return <UnknownPage what="session" />;
  const waiting = (
    <PageFrame isLoading>
      <LoadingCard />
    </PageFrame>
  );
  return (
    <Suspense fallback={waiting}>
      <Handover key={code} sessionId={id} code={code} taken={taken} />
    </Suspense>
  );
}

function sessionOf(id: string, secret: string | undefined) {
  return secret === undefined ? undefined : { id, credential: { 'x-client-secret': secret } };
}
