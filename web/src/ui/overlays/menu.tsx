/** A menu under a button. Not modal: Radix's modal menu would write a style element, which the page's policy refuses. */
import * as Radix from '@radix-ui/react-dropdown-menu';
import type { ReactElement, ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icon-drawings.ts';
import styles from './overlays.module.css';

export type MenuEntry =
  | { kind: 'group'; key: string; words: ReactNode }
  | { kind: 'separator'; key: string }
  | {
      kind?: 'item';
      key: string;
      words: ReactNode;
      hint?: ReactNode;
      icon?: IconName;
      /** For an option of several: whether it is selected. */
      isChosen?: boolean;
      isDisabled?: boolean;
      isDanger?: boolean;
      onSelect: () => void;
    };

type MenuProps = { trigger: ReactElement; entries: readonly MenuEntry[]; align?: 'start' | 'end' };

/** `trigger` must be a single Button. */
export function Menu({ trigger, entries, align = 'end' }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={styles.menu} align={align} sideOffset={6} collisionPadding={12}>
          {entries.map((entry) => (
            <Entry key={entry.key} entry={entry} />
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Entry({ entry }: { entry: MenuEntry }) {
  if (entry.kind === 'group') return <Radix.Label className={styles.group}>{entry.words}</Radix.Label>;
  if (entry.kind === 'separator') return <Radix.Separator className={styles.separator} />;
  const words = (
    <>
      {entry.icon && <Icon name={entry.icon} />}
      <span className={styles.itemWords}>
        {entry.words}
        {entry.hint && <span className={styles.itemHint}>{entry.hint}</span>}
      </span>
      {entry.isChosen && <Icon name="check" />}
    </>
  );
  const common = {
    className: classNames(styles.item, entry.isDanger && styles.danger),
    disabled: entry.isDisabled ?? false,
    onSelect: entry.onSelect,
  };
  if (entry.isChosen === undefined) return <Radix.Item {...common}>{words}</Radix.Item>;
  return (
    <Radix.CheckboxItem {...common} checked={entry.isChosen}>
      {words}
    </Radix.CheckboxItem>
  );
}
