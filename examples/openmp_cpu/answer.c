/* Prints a value that a target region computed, and where the region ran. */
#include <stdio.h>

#pragma omp begin declare target
static int on_device(void) { return 0; }
#pragma omp begin declare variant match(device = {kind(nohost)})
static int on_device(void) { return 1; }
#pragma omp end declare variant
#pragma omp end declare target

int main(void)
{
    int value = 0, device = 0;
#pragma omp target map(from : value, device)
    {
        value = 6 * 7;
        device = on_device();
    }
    printf("value %d, computed on the %s\n", value, device ? "device" : "host");
    return value == 42 && device ? 0 : 1;
}
