/** The list of payment links, with the price of each and how often it was used. */
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'wouter';
import { LinkListDocument } from '../../../../generated/web/documents.ts';
import { Button, buttonClass } from '../../ui/button/button.tsx';
import { CopyButton } from '../../ui/button/copy-button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Time } from '../../ui/state/time.tsx';
import { FilterSelect } from '../resources/filter-select.tsx';
import { isBare, ResourceList } from '../resources/resource-list.tsx';
import styles from '../resources/resources.module.css';
import { useAskPages } from '../resources/use-ask-pages.ts';
import { useFilter } from '../resources/use-filter.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PageFrame } from '../shell/page-frame.tsx';
import { LinkForm } from './link-form.tsx';
import { LinkState } from './link-state.tsx';
import { useLinkPrice } from './use-link-price.ts';

export function LinksPage() {
  const { t } = useTranslation();
  const formats = useFormats();
  const linkPrice = useLinkPrice();
  const { app, mayWrite } = useDashboard();
  const [state, setState] = useFilter('state', ['active', 'inactive'] as const);
  const [search, setSearch] = useSearchParams();
  // Other pages link here to create one.
  const isCreating = mayWrite && search.has('new');
  const setCreating = (isOpen: boolean) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        if (isOpen) after.set('new', '1');
        else after.delete('new');
        return after;
      },
      { replace: true },
    );
  const list = useAskPages(
    LinkListDocument,
    { appId: app.id, ...(state ? { isActive: state === 'active' } : {}) },
    (result) => result.paymentLinks,
  );
  const create = mayWrite && (
    <Button look="primary" icon="plus" onPress={() => setCreating(true)}>
      {t('links.new')}
    </Button>
  );
  return (
    <PageFrame
      title={t('links.title')}
      about={t('links.about')}
      actions={
        <>
          <Link href="/links/coupons" className={buttonClass({})}>
            {t('links.coupon.title')}
          </Link>
          {!isBare(list, state !== undefined) && create}
        </>
      }
    >
      <ResourceList
        caption={t('links.title')}
        {...list}
        wayOf={(link) => `/links/${link.id}`}
        isFiltered={state !== undefined}
        filters={
          <FilterSelect
            label={t('catalog.state')}
            all={t('links.allStates')}
            value={state}
            onChange={setState}
            options={[
              { value: 'active', words: t('links.active') },
              { value: 'inactive', words: t('links.inactive') },
            ]}
          />
        }
        empty={{
          title: t('links.empty'),
          about: t('links.emptyMore'),
          actions: create,
        }}
        columns={[
          {
            key: 'name',
            head: t('catalog.name'),
            cell: (link) => (
              <span className={styles.stack}>
                {link.name}
                <span className={styles.quiet}>/link/{link.slug}</span>
              </span>
            ),
          },
          { key: 'price', head: t('links.takes'), cell: linkPrice },
          {
            key: 'used',
            head: t('links.used'),
            align: 'end',
            isWide: true,
            cell: (link) => formats.count(link.usageCount),
          },
          {
            key: 'state',
            isCorner: true,
            head: t('catalog.state'),
            cell: (link) => <LinkState link={link} />,
          },
          { key: 'created', head: t('catalog.created'), isWide: true, cell: (link) => <Time at={link.createdAt} /> },
          {
            key: 'copy',
            head: <span className="visually-hidden">{t('catalog.actions')}</span>,
            align: 'end',
            cell: (link) => <CopyButton text={link.paymentUrl} name={t('links.url')} />,
          },
        ]}
      />
      {isCreating && <LinkForm onClose={() => setCreating(false)} />}
    </PageFrame>
  );
}
