/** One payment link: its price, how to share it, and how to deactivate or delete it. */
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams, useSearchParams } from 'wouter';
import { LinkDeleteDocument, LinkDetailDocument, LinkUpdateDocument } from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { ButtonLink } from '../../ui/button/button-link.tsx';
import { CopyButton } from '../../ui/button/copy-button.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import styles from '../resources/resources.module.css';
import { readSelection } from '../resources/selections.ts';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PayoutNote } from '../setup/payout-note.tsx';
import { PageFrame } from '../shell/page-frame.tsx';
import { Panel } from '../shell/panel.tsx';
import { LinkDialogs, type LinkDoing } from './link-dialogs.tsx';
import { LinkFacts } from './link-facts.tsx';
import { LinkState } from './link-state.tsx';

// Only the share dialog needs the library that draws the code.
const ShareSheet = lazy(async () => ({ default: (await import('./share-sheet.tsx')).ShareSheet }));

export function LinkPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { t } = useTranslation();
  const { mayWrite } = useDashboard();
  const [search, setSearch] = useSearchParams();
  const [doing, setDoing] = useState<LinkDoing>();
  const { data, error, refetch } = useAsk(LinkDetailDocument, { id });
  const update = useApiMutation(LinkUpdateDocument);
  const remove = useApiMutation(LinkDeleteDocument);
  const link = data?.paymentLink;
  const back = { href: '/links', words: t('links.title') };
  if (!link) {
    return (
      <PageFrame title={t('links.one')} back={back}>
        {error ? <ErrorNote error={error} retry={refetch} /> : <Skeleton lines={6} />}
      </PageFrame>
    );
  }
  const share = (isOpen: boolean) => setSearch(isOpen ? { share: '1' } : {}, { replace: true });
  return (
    <PageFrame
      title={link.name}
      back={back}
      beside={<LinkState link={link} />}
      actions={
        <>
          <Button look="primary" icon="link" onPress={() => share(true)}>
            {t('links.share')}
          </Button>
          {mayWrite && (
            <>
              <Button onPress={() => setDoing('edit')}>{t('catalog.edit')}</Button>
              <Menu
                trigger={<Button icon="dots" aria-label={t('catalog.actionsOf', { name: link.name })} />}
                entries={[
                  link.isActive
                    ? { key: 'off', words: t('links.deactivate'), onSelect: () => setDoing('deactivate') }
                    : { key: 'on', words: t('links.activate'), onSelect: () => setDoing('activate') },
                  { key: 'delete', words: t('catalog.delete'), isDanger: true, onSelect: () => setDoing('delete') },
                ]}
              />
            </>
          )}
        </>
      }
    >
      <PayoutNote selection={readSelection(link)} isRecurring={link.productPlan?.planType === 'SUBSCRIPTION'} />
      <Panel
        title={t('links.address')}
        actions={
          <ButtonLink size="small" icon="external" href={link.paymentUrl} target="_blank" rel="noreferrer noopener">
            {t('links.preview')}
          </ButtonLink>
        }
      >
        <p className={styles.inline}>
          <code>{link.paymentUrl}</code>
          <CopyButton text={link.paymentUrl} name={t('links.url')} />
        </p>
      </Panel>
      <Panel title={t('catalog.about')}>
        <LinkFacts link={link} />
      </Panel>
      {search.has('share') && (
        <Suspense>
          <ShareSheet name={link.name} slug={link.slug} url={link.paymentUrl} onClose={() => share(false)} />
        </Suspense>
      )}
      {doing && (
        <LinkDialogs link={link} doing={doing} mutations={{ update, remove }} onClose={() => setDoing(undefined)} />
      )}
    </PageFrame>
  );
}
