#include <pthread.h>
#include <sched.h>
#include "library.h"

// of GLib, whose headers may be missing
int g_main_context_iteration(void *context, int mayBlock);

static void *other(void *unused) {
	adopt();
	while (serve()) sched_yield();
	terminate();
	return NULL;
}

int main(void) {
	pthread_t thread;
	start();
	if (pthread_create(&thread, NULL, other, NULL) != 0) return 1;
	pthread_join(thread, NULL);
	attach();
	while (running()) g_main_context_iteration(NULL, 1);
	detachLoop();
	return 0;
}
