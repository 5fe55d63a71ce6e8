/* A shared object that is no subject. */
int at_subject_v0(void);

int at_subject_v0(void) {
    return 0;
}
