import type { ViewedService } from './catalog-view';
import { convertService } from './convert-service';
import type { ConversionRules } from './conversion-rules';

/** A service with these instances, converted. */
export function viewService(
  { id, readAs }: Pick<ViewedService, 'id' | 'readAs'>,
  { index, instances }: Pick<ViewedService, 'index' | 'instances'>,
  rules: ConversionRules,
): ViewedService {
  return { id, readAs, index, instances, ...convertService(id, instances, rules) };
}
