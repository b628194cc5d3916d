void report(void);

int main(void) {
	report();
	return 0;
}
