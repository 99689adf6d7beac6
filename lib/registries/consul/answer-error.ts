import { AppError } from '../../model/app-error';

/**
 * One answer of Consul is bad in a way that says nothing of the others: the reading goes on, and the source of that answer
 * is unreadable. Every other error means that Consul itself cannot be read.
 */
export class AnswerError extends AppError {}
