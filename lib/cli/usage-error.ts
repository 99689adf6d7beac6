import { AppError } from '../model/app-error';

/** The command line cannot be carried out as it was written; exit code 2. */
export class UsageError extends AppError {
  constructor(message: string) {
    super(message, { code: 'UsageError' });
  }
}
