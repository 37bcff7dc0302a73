/** One payment link: what it takes, how to share it, and its end. */
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useParams, useSearchParams } from 'wouter';
import { LinkDeleteDocument, LinkDetailDocument, LinkUpdateDocument } from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { ButtonLink } from '../../ui/button/button-link.tsx';
import { CopyButton } from '../../ui/button/copy-button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Menu } from '../../ui/overlays/menu.tsx';
import { ErrorNote } from '../../ui/state/error-note.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { Time } from '../../ui/state/time.tsx';
import { useCouponWords } from '../coupons/use-coupon-words.ts';
import { ConfirmDialog } from '../resources/confirm-dialog.tsx';
import { Facts } from '../resources/facts.tsx';
import styles from '../resources/resources.module.css';
import { ChainWords, TokenWords } from '../resources/selection-words.tsx';
import { readSelection } from '../resources/selections.ts';
import { useTaxWords } from '../resources/use-tax-words.ts';
import { useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { useTell } from '../session/use-tell.ts';
import { PayoutNote } from '../setup/payout-note.tsx';
import { PageFrame } from '../shell/page-frame.tsx';
import { Panel } from '../shell/panel.tsx';
import { LinkForm } from './link-form.tsx';
import { LinkState } from './link-state.tsx';
import { LinkStock } from './link-stock.tsx';
import { useLinkPrice } from './use-link-price.ts';

// The code is drawn by a library that only this sheet needs.
const ShareSheet = lazy(async () => ({ default: (await import('./share-sheet.tsx')).ShareSheet }));

type Doing = 'edit' | 'deactivate' | 'activate' | 'delete';

export function LinkPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { t } = useTranslation();
  const formats = useFormats();
  const linkPrice = useLinkPrice();
  const taxWords = useTaxWords();
  const couponWords = useCouponWords();
  const { mayWrite } = useDashboard();
  const [, go] = useLocation();
  const [search, setSearch] = useSearchParams();
  const [doing, setDoing] = useState<Doing>();
  const { data, error, refetch } = useAsk(LinkDetailDocument, { id });
  const update = useTell(LinkUpdateDocument);
  const remove = useTell(LinkDeleteDocument);
  const link = data?.paymentLink;
  const back = { href: '/links', words: t('links.title') };
  if (!link) {
    return (
      <PageFrame title={t('links.one')} back={back}>
        {error ? <ErrorNote error={error} retry={refetch} /> : <Skeleton lines={6} />}
      </PageFrame>
    );
  }
  const { chains, tokens } = readSelection(link);
  const close = () => setDoing(undefined);
  const share = (isOpen: boolean) => setSearch(isOpen ? { share: '1' } : {}, { replace: true });
  const active = (isActive: boolean) => ({ id, input: { isActive } });
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
      <PayoutNote selection={readSelection(link)} />
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
        <Facts
          facts={[
            {
              key: 'takes',
              name: t('links.takes'),
              value: link.productPlan ? (
                <Link href={`/plans/${link.productPlan.id}`}>{linkPrice(link)}</Link>
              ) : (
                linkPrice(link)
              ),
            },
            {
              key: 'tax',
              name: t('catalog.tax.choice'),
              value: link.taxRate ? taxWords(link.taxRate) : t('links.taxOfPlan'),
            },
            { key: 'description', name: t('catalog.description'), value: link.description },
            { key: 'used', name: t('links.used'), value: t('links.usedTimes', { count: link.usageCount }) },
            {
              key: 'quantity',
              name: t('links.quantity'),
              value:
                link.maximumQuantity > link.minimumQuantity
                  ? t('links.quantityRange', { least: link.minimumQuantity, most: link.maximumQuantity })
                  : formats.count(link.minimumQuantity),
            },
            {
              key: 'coupon',
              name: t('links.coupon.choice'),
              value: link.coupon ? `${link.coupon.name} · ${couponWords(link.coupon)}` : t('links.coupon.none'),
            },
            { key: 'stock', name: t('links.stock'), value: <LinkStock link={link} /> },
            {
              key: 'billing',
              name: t('links.billingShort'),
              value: link.requireBillingDetails ? t('links.asked') : t('links.notAsked'),
            },
            { key: 'chains', name: t('catalog.choice.chains'), value: <ChainWords chosen={chains} /> },
            { key: 'tokens', name: t('catalog.choice.tokens'), value: <TokenWords chosen={tokens} /> },
            { key: 'success', name: t('links.successUrl'), value: link.successUrl },
            { key: 'cancel', name: t('links.cancelUrl'), value: link.cancelUrl },
            { key: 'created', name: t('catalog.created'), value: formats.absolute(new Date(link.createdAt)) },
            { key: 'changed', name: t('catalog.changed'), value: <Time at={link.updatedAt} /> },
          ]}
        />
      </Panel>
      {search.has('share') && (
        <Suspense>
          <ShareSheet name={link.name} slug={link.slug} url={link.paymentUrl} onClose={() => share(false)} />
        </Suspense>
      )}
      {doing === 'edit' && <LinkForm link={link} onClose={close} />}
      {doing === 'deactivate' && (
        <ConfirmDialog
          title={t('links.deactivateTitle')}
          about={t('links.deactivateAbout')}
          action={t('links.deactivate')}
          done={t('links.deactivated')}
          isDanger
          mutation={update}
          variables={active(false)}
          onClose={close}
        />
      )}
      {doing === 'activate' && (
        <ConfirmDialog
          title={t('links.activateTitle')}
          about={t('links.activateAbout')}
          action={t('links.activate')}
          done={t('links.activated')}
          mutation={update}
          variables={active(true)}
          onClose={close}
        />
      )}
      {doing === 'delete' && (
        <ConfirmDialog
          title={t('links.deleteTitle')}
          about={t('links.deleteAbout')}
          action={t('links.deleteAction')}
          done={t('links.deleted')}
          isDanger
          mutation={remove}
          variables={{ id }}
          onClose={close}
          onDone={() => go('/links')}
        />
      )}
    </PageFrame>
  );
}
